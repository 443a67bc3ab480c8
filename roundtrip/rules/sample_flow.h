#pragma once
// Which samples count as one flow, because they are correlated.

#include <cstdint>
#include <cstring>

#include "core/hash.h"
#include "core/kind.h"
#include "core/sample.h"
#include "wire/summary.h"

namespace sojourn {

/// dns, ntp and icmp have no connections: a resolver that one host asks a thousand times is one
/// flow, though each query has a port of its own.
inline bool is_by_hosts(Kind kind) {
  constexpr unsigned by_hosts =
      1u << index_of(Kind::dns) | 1u << index_of(Kind::ntp) | 1u << index_of(Kind::icmp);
  return (by_hosts >> index_of(kind) & 1u) != 0;
}

/// The flow of a sample: its connection or its two hosts, both directions alike.
std::uint64_t flow_of(const Sample& sample);

std::uint64_t flow_of_hosts(Kind kind, const Summary& packet);

/// The same from the packet that completed it.  The hash has no secret key: margins should not
/// change from run to run, and an attacker who directs flows at one group only makes them wider.
[[gnu::always_inline]] inline std::uint64_t flow_of(Kind kind, const Summary& packet) {
  if (is_by_hosts(kind) || packet.is_ipv6) [[unlikely]]
    return flow_of_hosts(kind, packet);
  std::uint32_t source, destination;
  std::memcpy(&source, packet.ip + 12, 4);
  std::memcpy(&destination, packet.ip + 16, 4);
  const std::uint64_t a = std::uint64_t{source} << 16 | packet.source_port;
  const std::uint64_t b = std::uint64_t{destination} << 16 | packet.destination_port;
  return fold_multiply((a + b) ^ 0x9ddfea08eb382d69u, (a ^ b) ^ 0xc2b2ae3d27d4eb4fu);
}

}  // namespace sojourn
