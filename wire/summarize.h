#pragma once
// What the pairing rules need of a located packet: TCP, ICMP, and what UDP carries.

#include <cstddef>
#include <optional>

#include "core/hash.h"
#include "wire/headers/ipv4.h"
#include "wire/headers/ipv6.h"
#include "wire/summary.h"
#include "wire/walk.h"
#include "wire/wanted.h"

namespace sojourn {

/// Fills in `summary` for a packet whose transport was reached, or says why not.
std::optional<Skip> summarize(const LocatedPacket& at, const HashKey& key, const Wanted& wanted,
                              Timestamp time, Summary& summary);

/// Locates and summarizes.  Used for every packet that the parser's fast path does not accept; the
/// fast path must agree with it.
std::optional<Skip> summarize(const Packet& packet, const HashKey& key, const Wanted& wanted,
                              Summary& summary);

/// Past IPv6 extension headers and authentication headers; see below.
[[gnu::cold]] std::size_t tcp_offset_behind_others(const Summary& summary);

/// From `summary.ip` to the TCP header, for Content::tcp.  A Summary has no room for it; other
/// headers between are rare, so that a look at the IP header nearly always suffices.
inline std::size_t tcp_offset(const Summary& summary) {
  if (!summary.is_ipv6) {
    const auto* header = reinterpret_cast<const Ipv4Header*>(summary.ip);
    if (header->protocol == IpProtocol::tcp) [[likely]]
      return header->length();
  } else {
    const auto* header = reinterpret_cast<const Ipv6Header*>(summary.ip);
    if (header->next_header == IpProtocol::tcp) [[likely]]
      return sizeof(Ipv6Header);
  }
  return tcp_offset_behind_others(summary);
}

}  // namespace sojourn
