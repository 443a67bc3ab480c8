#pragma once
// What the pairing rules need to know of one packet, in one cache line.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/address.h"
#include "core/sample.h"
#include "core/time.h"

namespace sojourn {

/// What the innermost transport carries, as far as it matters to any kind of round trip.
enum class Content : std::uint8_t {
  other,  // parsed to the end, nothing to pair
  tcp,
  dns_query,  // DNS over UDP; over TCP it is found by the rules, message by message
  dns_response,
  ntp_request,   // client (3) or symmetric active (1)
  ntp_response,  // server (4) or symmetric passive (2)
  icmp_request,  // echo request, ICMP or ICMPv6
  icmp_reply,
  quic_long,   // QUIC long header: handshake
  quic_short,  // may be a QUIC short header: only the connection's past can tell
};

/// TCP flags, RFC 9293 section 3.1.
enum TcpFlag : std::uint8_t { tcp_fin = 1, tcp_syn = 2, tcp_rst = 4, tcp_push = 8, tcp_ack = 16 };

/// The innermost IP packet of a capture's packet, reduced to what pairing needs.
///
/// Addresses are not copied: they are read through `ip` when a sample is written, which is rarer
/// than packets.  So a Summary is valid only as long as the packet's bytes.
struct alignas(64) Summary {
  Timestamp time;
  std::uint64_t flow = 0;  ///< keyed hash of addresses, ports, protocol; both directions alike
  const std::byte* ip = nullptr;     ///< innermost IP header
  std::uint32_t sequence = 0;        ///< TCP; otherwise the low half of token()
  std::uint32_t acknowledgment = 0;  ///< TCP; otherwise the high half of token()
  std::uint32_t ts_value = 0;        ///< TCP timestamps option, valid if has_timestamps
  std::uint32_t ts_echo = 0;
  std::uint32_t payload = 0;         ///< bytes of transport payload on the wire, by the IP length
  std::uint32_t index = 0;           ///< position in the capture; orders samples across threads
  std::uint16_t ip_captured = 0;     ///< bytes that may be read at `ip` (at most 65535)
  std::uint16_t payload_offset = 0;  ///< from `ip` to the transport payload
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint16_t window = 0;  ///< TCP, unscaled
  std::uint16_t vlan = Sample::no_vlan;
  Content content = Content::other;
  std::uint8_t tcp_flags = 0;
  bool source_is_low : 1 =
      false;  ///< the source is the lower of the two endpoints in `flow`'s order
  bool has_timestamps : 1 = false;
  bool is_ipv6 : 1 = false;
  bool first_fragment : 1 = false;  ///< more fragments follow: `payload` is this fragment's only
  bool quic_spin : 1 = false;       ///< QUIC short header's spin bit, RFC 9000 section 17.4
  bool quic_initial : 1 =
      false;  ///< QUIC long header of type Initial (else Handshake, 0-RTT, Retry)
  std::uint8_t no_bits : 2 = 0;  ///< padding, so that the bits are written without being read
  /// Bytes from the outermost IP header to `ip`, 255 for more; or the interface number, if the
  /// parser was asked for that.
  std::uint8_t origin = 0;

  static constexpr std::uint8_t far_away = 255;

  /// Identifies the exchange within the flow: DNS id and question, NTP originate timestamp, ICMP
  /// identifier and sequence number.
  std::uint64_t token() const {
    return static_cast<std::uint64_t>(acknowledgment) << 32 | sequence;
  }
  void set_token(std::uint64_t token) {
    sequence = static_cast<std::uint32_t>(token);
    acknowledgment = static_cast<std::uint32_t>(token >> 32);
  }

  std::uint32_t ip_length() const { return payload_offset + payload; }
  IpAddress source() const;
  IpAddress destination() const;
};
static_assert(sizeof(Summary) == 64);

inline IpAddress Summary::source() const {
  return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{ip + 8, 16})
                 : IpAddress::v4(std::span<const std::byte, 4>{ip + 12, 4});
}
inline IpAddress Summary::destination() const {
  return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{ip + 24, 16})
                 : IpAddress::v4(std::span<const std::byte, 4>{ip + 16, 4});
}

/// The transport's payload, as far as it was captured.
inline std::span<const std::byte> captured_payload(const Summary& packet) {
  if (packet.payload_offset > packet.ip_captured) return {};
  const std::size_t captured = packet.ip_captured - packet.payload_offset;
  return {packet.ip + packet.payload_offset, std::min<std::size_t>(captured, packet.payload)};
}

}  // namespace sojourn
