#pragma once
// The bytes of a two-point packet, as each point sees it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/flow_key.h"
#include "core/time.h"

namespace sojourn {

/// Changes to a frame by routers and switches between the points.
struct FrameView {
  bool vlan_tag = false;
  std::uint8_t hops = 0;     ///< subtracted from the TTL or hop limit
  std::uint8_t service = 0;  ///< DSCP and ECN
};

/// The endpoints of a flow: TCP or UDP, sources in 10.0.0.0/8 and 2001:db8:a::/48, destinations in
/// 198.18.0.0/15 (RFC 2544) and 2001:db8:b::/48.
FlowKey two_point_flow(std::uint32_t flow, bool is_ipv6);
bool two_point_flow_is_udp(std::uint32_t flow);

/// IP length of a reference packet: RLI's 48 bytes, and 4 of padding.
inline constexpr std::uint32_t reference_bytes = 52;

/// One frame at a time, in its own buffer.  Packets of a flow differ as real ones do: in the
/// identification (IPv4), sequence or acknowledgment numbers (TCP), or the payload (UDP).
class TwoPointFrame {
 public:
  /// Traffic of another seed has other sequence numbers: its packets are different.
  explicit TwoPointFrame(std::uint64_t seed) : seed_(seed) {}

  struct Bytes {
    std::span<const std::byte> captured;
    std::uint32_t length = 0;  ///< on the wire
  };

  /// `ip_bytes` is the length of the IP packet; IPv6 packets are at least 60 long, IPv4 52.
  Bytes make(std::uint32_t flow, bool is_ipv6, std::uint32_t number, std::uint32_t ip_bytes,
             const FrameView& view, std::uint32_t snap_length);

  /// An RLI reference packet in a UDP flow over IPv4, sent at `sent` by the first point's clock.
  Bytes make_reference(std::uint32_t flow, std::uint32_t number, Timestamp sent,
                       const FrameView& view, std::uint32_t snap_length);

 private:
  std::uint64_t seed_;
  std::array<std::byte, 256> buffer_{};
};

}  // namespace sojourn
