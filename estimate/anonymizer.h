#pragma once
// Pseudonymous addresses: they show which networks belong together, but not which they are.

#include <cstdint>
#include <vector>

#include "core/address.h"
#include "core/hash.h"

namespace sojourn {

/// Prefix-preserving: two addresses that share exactly n leading bits share exactly n leading bits
/// afterwards, so groups by prefix are preserved.  One to one.
///
///     bit_i' = bit_i xor f(bit_0 ... bit_(i-1))                    [1, theorem 1]
///
/// [1] takes f from AES (Crypto-PAn); here it is the keyed hash of core/hash.h.  That hides
/// addresses from a reader of the report without the key.  It is not a cipher: [1] itself also
/// warns of attackers who can inject traffic and study the output at length.
///
/// The mapping depends only on the key: the same key links two reports, a new one does not.
///
/// [1] Xu, Fan, Ammar, Moon. Prefix-Preserving IP Address Anonymization. ICNP 2002.
class Anonymizer {
 public:
  explicit Anonymizer(const HashKey& key);

  /// Not const: recent addresses are cached, since packets come in flows.
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
