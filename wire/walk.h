#pragma once
// The one walk over a packet's headers: link, tunnels and IP, down to the innermost transport.
//
// Each layer is one small function that reads its header and returns the function for the next
// layer.  Other views of a packet derive from where the walk ended: the Summary for the pairing
// rules (summarize.h), the IpPacket for the one-way methods (ip_packet.h), and where marks may be
// written.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/packet.h"
#include "core/sample.h"
#include "wire/headers/cursor.h"
#include "wire/headers/ethernet.h"
#include "wire/ip_layer.h"
#include "wire/skip.h"

namespace sojourn {

/// One packet, with the headers read so far.
struct LocatedPacket {
  /// What has not been read yet.  At the end: the TCP or ICMP header, or the payload of UDP.
  Cursor rest;
  IpLayer inner{};                       ///< the innermost IP header that could be read
  IpLayer outer{};                       ///< the outermost one, which routers on the way see
  IpProtocol transport{};                ///< at the end: tcp, udp, icmp or icmpv6
  std::uint16_t vlan = Sample::no_vlan;  ///< the outermost one
  std::uint16_t source_port = 0;         ///< of UDP
  std::uint16_t destination_port = 0;
  /// A layer below the outer IP header states a length: the packet cannot grow in place.
  bool length_below = false;
};

/// Walks down to the innermost transport, or says why the walk ended before.  Either way `at` holds
/// the IP headers that were read.
std::optional<Skip> locate(const Packet& packet, LocatedPacket& at);

/// The outcome of reading one layer: on to the next, arrived, or not for us.
class Step {
 public:
  using Reader = Step (*)(LocatedPacket&);

  Step(Reader reader) : next_(reader), ending_(Ending::none) {}            // return read_mpls;
  Step(Skip why) : next_(nullptr), ending_(Ending::skipped), why_(why) {}  // return Skip::fragment;
  static Step arrived() { return Step{Ending::arrived}; }

  Reader next() const { return next_; }  ///< null if this layer was the last
  bool is_skipped() const { return ending_ == Ending::skipped; }
  Skip reason() const { return why_; }

 private:
  enum class Ending : std::uint8_t { none, arrived, skipped };
  explicit Step(Ending ending) : next_(nullptr), ending_(ending) {}

  Reader next_;
  Ending ending_;
  Skip why_{};
};

// Which layer a protocol number of the outer layer announces.
Step layer_of(EtherType type);
Step layer_of(IpProtocol protocol);

// link.cpp: the header of the capture's link type.
Step read_link(LocatedPacket& at, LinkType link);
// wifi.cpp
Step read_ieee80211(LocatedPacket& at);
Step read_radiotap(LocatedPacket& at);
// frames.cpp: Ethernet and what may stand between it and IP.
Step read_ethernet(LocatedPacket& at);
Step read_vlan(LocatedPacket& at);
Step read_llc(LocatedPacket& at);
Step read_mpls(LocatedPacket& at);
Step read_pppoe(LocatedPacket& at);
Step read_ppp(LocatedPacket& at);
Step read_cisco_hdlc(LocatedPacket& at);
Step read_tag_of_4(LocatedPacket& at);
Step read_tag_of_6(LocatedPacket& at);
Step read_service_tag(LocatedPacket& at);
/// Bytes are recognised as an Ethernet frame only by a known EtherType in the right place, or by
/// SNAP.
bool looks_like_ethernet(const Cursor& cursor, std::size_t offset);
// ip.cpp
Step read_any_ip(LocatedPacket& at);
Step read_ipv4(LocatedPacket& at);
Step read_ipv6(LocatedPacket& at);
Step read_authentication(LocatedPacket& at);
Step read_udp(LocatedPacket& at);
// gre.cpp
Step read_gre(LocatedPacket& at);
// tunnels.cpp: what may be carried by IP and by UDP.
Step tunnel_of(IpProtocol protocol);
/// Whether UDP on this port can be a tunnel.
bool may_be_udp_tunnel(std::uint16_t port);
/// The reader of the tunnel in a UDP datagram, or null.  `stated` is the payload length in the UDP
/// header: the payload of a fragment is shorter.
Step::Reader udp_tunnel(const Cursor& payload, std::size_t stated, std::uint16_t source_port,
                        std::uint16_t destination_port);
/// What a tunnel is called, and its identifier if it is the same in both directions.
struct TunnelKind {
  std::string_view name;
  std::optional<std::uint32_t> identifier;
};
/// The kind of the tunnel that `reader` reads at `payload`; nullopt if it reads no tunnel.
std::optional<TunnelKind> tunnel_kind(Step::Reader reader, const Cursor& payload);

}  // namespace sojourn
