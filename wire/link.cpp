#include "wire/headers/link.h"

#include "wire/walk.h"

namespace sojourn {
namespace {

Step read_address_family(LocatedPacket& at) {
  const auto* field = at.rest.take<Be32>();
  if (!field) return Skip::truncated_link;
  std::uint32_t family = *field;
  if (family > 0xffffu) family = std::byteswap(family);
  switch (static_cast<AddressFamily>(family)) {
    case AddressFamily::ipv4:
      return read_ipv4;
    case AddressFamily::ipv6_linux:
    case AddressFamily::ipv6_windows:
    case AddressFamily::ipv6_net_and_open_bsd:
    case AddressFamily::ipv6_freebsd:
    case AddressFamily::ipv6_darwin:
      return read_ipv6;
  }
  return Skip::unknown_ethertype;
}

Step layer_of_cooked(std::uint16_t protocol) {
  constexpr std::uint16_t novell = 1, llc = 4;  // ETH_P_802_3, ETH_P_802_2
  if (protocol == llc) return read_llc;
  if (protocol == novell) return Skip::not_ip;
  return layer_of(static_cast<EtherType>(protocol));
}

Step read_linux_cooked(LocatedPacket& at) {
  const auto* header = at.rest.take<LinuxCooked>();
  if (!header) return Skip::truncated_link;
  return layer_of_cooked(header->protocol);
}

Step read_linux_cooked2(LocatedPacket& at) {
  const auto* header = at.rest.take<LinuxCooked2>();
  if (!header) return Skip::truncated_link;
  return layer_of_cooked(header->protocol);
}

/// RFC 1547 allows both PPP and Cisco framing on one line; the first byte distinguishes them.
Step read_ppp_or_cisco(LocatedPacket& at) {
  const auto* first = at.rest.peek<std::uint8_t>();
  if (!first) return Skip::truncated_link;
  if (*first == 0x0f || *first == 0x8f) return read_cisco_hdlc(at);
  return read_ppp;
}

}  // namespace

Step read_link(LocatedPacket& at, LinkType link) {
  switch (link) {
    case LinkType::ethernet:
      return read_ethernet;
    case LinkType::null:
    case LinkType::loop:
      return read_address_family(at);
    case LinkType::raw:
    case LinkType::raw_bsd:
    case LinkType::raw_openbsd:
      return read_any_ip;
    case LinkType::ipv4:
      return read_ipv4;
    case LinkType::ipv6:
      return read_ipv6;
    case LinkType::ppp:
    case LinkType::ppp_hdlc:
      return read_ppp_or_cisco(at);
    case LinkType::ppp_ether:
      return read_pppoe;
    case LinkType::cisco_hdlc:
      return read_cisco_hdlc(at);
    case LinkType::linux_cooked:
      return read_linux_cooked(at);
    case LinkType::linux_cooked2:
      return read_linux_cooked2(at);
    case LinkType::ieee80211:
      return read_ieee80211(at);
    case LinkType::ieee80211_radiotap:
      return read_radiotap(at);
  }
  return Skip::unknown_link;
}

}  // namespace sojourn
