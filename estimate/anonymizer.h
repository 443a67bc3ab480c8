#pragma once
// Addresses that tell which networks belong together, but not which networks they are.

#include <cstdint>
#include <vector>

#include "core/address.h"
#include "core/hash.h"

namespace sojourn {

/// Prefix-preserving: two addresses that share exactly n leading bits share exactly n leading bits
/// afterwards, so groups by prefix stay what they were.  One to one.
///
///     bit_i' = bit_i xor f(bit_0 ... bit_(i-1))                    [1, theorem 1]
///
/// [1] takes f from AES (Crypto-PAn); here it is the keyed hash of core/hash.h.  That hides
/// addresses from a reader of the report who does not know the key.  It is not a cipher: against
/// someone who can choose traffic and study the output at length, [1] itself warns as well.
///
/// The mapping depends only on the key, so the same key links two reports and a fresh one does not.
///
/// [1] Xu, Fan, Ammar, Moon. Prefix-Preserving IP Address Anonymization. ICNP 2002.
class Anonymizer {
 public:
  explicit Anonymizer(const HashKey& key);

  /// Not const: the most recent addresses are remembered, since packets come in flows.
  IpAddress apply(const IpAddress& address);

 private:
  struct Known {
    IpAddress original;
    IpAddress hidden;
    bool used = false;
  };
  static constexpr std::size_t remembered = 4096;

  IpAddress compute(const IpAddress& address) const;

  HashKey key_;
  std::vector<Known> cache_;
};

}  // namespace sojourn
