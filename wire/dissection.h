#pragma once
// The general way through a packet's layers: one small function per layer, each saying what
// follows.  Parser takes this way for everything that its straight path does not expect.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

#include "core/hash.h"
#include "core/packet.h"
#include "wire/headers/cursor.h"
#include "wire/headers/ethernet.h"
#include "wire/headers/ipv4.h"
#include "wire/skip.h"
#include "wire/summary.h"
#include "wire/wanted.h"

namespace sojourn {

/// A layer that may come next.
enum class Layer : std::uint8_t {
  ethernet,
  vlan,
  llc,
  mpls,
  pppoe,
  ppp,
  tag_of_4,
  tag_of_6,
  service_tag,
  any_ip,
  ipv4,
  ipv6,
  gre,
  ether_ip,
  erspan2,
  erspan3,
  wccp,
  vxlan,
  geneve,
  gtp,
  l2tp,
  teredo,
  ayiya,
  tcp,
  udp,
  icmp,
  icmpv6,
};

/// The outcome of reading one layer: on to the next, done, or not for us.
struct Step {
  enum class What : std::uint8_t { next, done, skipped };
  What what;
  Layer layer{};
  Skip reason{};

  Step(Layer next) : what(What::next), layer(next) {}   // implicit: return Layer::mpls;
  Step(Skip why) : what(What::skipped), reason(why) {}  // implicit: return Skip::fragment;
  static Step done() { return Step{What::done}; }

 private:
  explicit Step(What outcome) : what(outcome) {}
};

/// One packet on its way through the layers.
struct Dissection {
  Cursor cursor;
  const HashKey& key;
  const Wanted& wanted;
  Summary& summary;  ///< complete when a step is done()

  // What the last IP header said; a tunnel's inner header overwrites it.
  const std::byte* ip = nullptr;
  std::size_t ip_captured = 0;
  IpProtocol protocol{};
  bool is_ipv6 = false;
  bool first_fragment = false;
  std::uint16_t vlan = Sample::no_vlan;
};

/// Fills `summary` or says why not.
std::optional<Skip> dissect(const Packet& packet, const HashKey& key, const Wanted& wanted,
                            Summary& summary);

/// The header of the innermost IP packet that can be read, whatever it carries; or why there is
/// none.
std::expected<const std::byte*, Skip> innermost_ip(const Packet& packet, const HashKey& key);

/// The header of the outermost IP packet, which is what a router on the way sees.
struct OuterIp {
  const std::byte* ip = nullptr;
  bool length_below = false;  ///< a layer below states a length: the packet cannot just grow
};
std::expected<OuterIp, Skip> outermost_ip(const Packet& packet, const HashKey& key);

// Which layer a number of the outer layer announces.
Step layer_of(EtherType type);
Step layer_of(IpProtocol protocol);

// link.cpp: the header of the capture's link type.
Step read_link(Dissection& at, LinkType link);
// wifi.cpp
Step read_ieee80211(Dissection& at);
Step read_radiotap(Dissection& at);
// frames.cpp: Ethernet and what may stand between it and IP.
Step read_ethernet(Dissection& at);
Step read_vlan(Dissection& at);
Step read_llc(Dissection& at);
Step read_mpls(Dissection& at);
Step read_pppoe(Dissection& at);
Step read_ppp(Dissection& at);
Step read_cisco_hdlc(Dissection& at);
Step read_tag(Dissection& at, std::size_t length);
Step read_service_tag(Dissection& at);
// ip.cpp
Step read_any_ip(Dissection& at);
Step read_ipv4(Dissection& at);
Step read_ipv6(Dissection& at);
// tunnels.cpp
Step read_gre(Dissection& at);
Step read_ether_ip(Dissection& at);
Step read_erspan2(Dissection& at);
Step read_erspan3(Dissection& at);
Step read_wccp(Dissection& at);
Step read_vxlan(Dissection& at);
Step read_geneve(Dissection& at);
Step read_gtp(Dissection& at);
Step read_l2tp(Dissection& at);
Step read_teredo(Dissection& at);
Step read_ayiya(Dissection& at);
// transport.cpp
Step read_tcp(Dissection& at);
Step read_udp(Dissection& at);
Step read_icmp(Dissection& at);
Step read_icmpv6(Dissection& at);

}  // namespace sojourn
