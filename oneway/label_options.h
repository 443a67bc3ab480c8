#pragma once
// How a packet gets its label: the bytes, the function and the secret.

#include <cstdint>

namespace sojourn {

/// RFC 5475 section 6.2.4: BOB is mandatory for PSAMP.  IPSX is cheaper, and only good for
/// selection: 16 bits have too many collisions, so records always carry labels by BOB.
enum class LabelFunction : std::uint8_t { bob, ipsx };

/// Both points need the same options, or no label matches.
struct LabelOptions {
  LabelFunction function = LabelFunction::bob;
  std::uint32_t init = 0x9a3f9a3f;  ///< keep it private: with it, packets can evade selection
  std::uint32_t payload_offset =
      0;  ///< into what follows the IP header and its options or extensions
  /// The transport header with the usual TCP options, and the first bytes behind a UDP header.
  std::uint32_t payload_bytes = 40;
};

}  // namespace sojourn
