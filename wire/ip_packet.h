#pragma once
// The innermost IP packet of each captured packet, whatever it carries, for the one-way methods.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/flow_key.h"
#include "core/hash.h"
#include "core/packet.h"
#include "wire/headers/ipv4.h"
#include "wire/skip.h"

namespace sojourn {

struct LocatedPacket;

/// An IP packet in place in the capture.  Unlike a Summary it exists for every IP packet, even
/// without a request or response: all of them have a delay.
///
/// The bytes are borrowed from the batch it was found in.
struct IpPacket {
  Timestamp time;
  std::uint64_t flow = 0;              ///< keyed hash of the 5-tuple, one direction only
  const std::byte* ip = nullptr;       ///< the IP header
  std::uint32_t ip_captured = 0;       ///< bytes that may be read at `ip`, padding excluded
  std::uint32_t ip_length = 0;         ///< bytes on the wire, by the IP header
  std::uint32_t transport_offset = 0;  ///< from `ip` past IPv4 options or IPv6 extension headers
  std::uint32_t frame_length = 0;      ///< bytes on the wire of the frame it came in
  LinkType link = LinkType::ethernet;  ///< of that frame
  std::uint16_t fragment_offset = 0;   ///< from `ip` to the IPv6 fragment header; 0: there is none
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  IpProtocol protocol{};  ///< of the transport header
  std::uint8_t tcp_flags = 0;
  bool is_ipv6 : 1 = false;
  bool later_fragment : 1 = false;  ///< no transport header: it was in the first fragment

  std::span<const std::byte> transport() const {
    if (ip_captured <= transport_offset) return {};
    return {ip + transport_offset, ip_captured - transport_offset};
  }
  std::uint32_t transport_length() const {
    return ip_length > transport_offset ? ip_length - transport_offset : 0;
  }
  FlowKey key() const;
};

/// Finds the innermost IP packets.  VLAN tags, MPLS labels and tunnels around them do not matter,
/// so a point before a tunnel and a point within it see the same packets.
class IpLocator {
 public:
  explicit IpLocator(std::uint64_t seed) : hash_key_(HashKey::from_seed(seed)) {}

  /// Fills `out` from its front and returns the number of IP packets in the batch.
  std::size_t locate(std::span<const Packet> packets, std::span<IpPacket> out);
  /// The same of one packet, for callers who also need what is around it; false if there is none.
  bool locate(const Packet& packet, LocatedPacket& at, IpPacket& out);

  const SkipCounters& skipped() const { return skipped_; }

 private:
  HashKey hash_key_;
  SkipCounters skipped_;
};

}  // namespace sojourn
