#include "capture/files/link_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace sojourn {
namespace {

constexpr std::array supported = {
    LinkType::null,
    LinkType::ethernet,
    LinkType::ppp,
    LinkType::raw_bsd,
    LinkType::raw_openbsd,
    LinkType::ppp_hdlc,
    LinkType::ppp_ether,
    LinkType::raw,
    LinkType::cisco_hdlc,
    LinkType::ieee80211,
    LinkType::loop,
    LinkType::linux_cooked,
    LinkType::ieee80211_radiotap,
    LinkType::ipv4,
    LinkType::ipv6,
    LinkType::linux_cooked2,
};

struct NamedLinkType {
  std::uint32_t number;
  std::string_view name;
};

// Those that users are likely to meet, from the registry of draft-ietf-opsawg-pcaplinktype.
constexpr std::array<NamedLinkType, 68> named = {{
    {3, "AX25"},
    {6, "IEEE802_5"},
    {7, "ARCNET_BSD"},
    {8, "SLIP"},
    {10, "FDDI"},
    {99, "SYMANTEC_FIREWALL"},
    {100, "ATM_RFC1483"},
    {106, "LINUX_CLASSICAL_IP"},
    {107, "FRELAY"},
    {109, "ENC"},
    {114, "LTALK"},
    {117, "PFLOG"},
    {119, "IEEE802_11_PRISM"},
    {122, "IP_OVER_FC"},
    {123, "SUNATM"},
    {129, "ARCNET_LINUX"},
    {130, "JUNIPER_MLPPP"},
    {131, "JUNIPER_MLFR"},
    {132, "JUNIPER_ES"},
    {133, "JUNIPER_GGSN"},
    {134, "JUNIPER_MFR"},
    {135, "JUNIPER_ATM2"},
    {136, "JUNIPER_SERVICES"},
    {137, "JUNIPER_ATM1"},
    {138, "APPLE_IP_OVER_IEEE1394"},
    {139, "MTP2_WITH_PHDR"},
    {140, "MTP2"},
    {141, "MTP3"},
    {142, "SCCP"},
    {143, "DOCSIS"},
    {144, "LINUX_IRDA"},
    {163, "IEEE802_11_AVS"},
    {165, "BACNET_MS_TP"},
    {166, "PPP_PPPD"},
    {177, "LINUX_LAPD"},
    {178, "JUNIPER_ETHER"},
    {179, "JUNIPER_PPP"},
    {180, "JUNIPER_FRELAY"},
    {181, "JUNIPER_CHDLC"},
    {182, "MFR"},
    {187, "BLUETOOTH_HCI_H4"},
    {189, "USB_LINUX"},
    {192, "PPI"},
    {195, "IEEE802_15_4_WITHFCS"},
    {201, "BLUETOOTH_HCI_H4_WITH_PHDR"},
    {203, "LAPD"},
    {204, "PPP_WITH_DIR"},
    {206, "FRELAY_WITH_DIR"},
    {209, "IPMB_LINUX"},
    {220, "USB_LINUX_MMAPPED"},
    {224, "FC_2"},
    {226, "IPNET"},
    {227, "CAN_SOCKETCAN"},
    {230, "IEEE802_15_4_NOFCS"},
    {231, "DBUS"},
    {239, "NFLOG"},
    {242, "IPOIB"},
    {247, "INFINIBAND"},
    {249, "USBPCAP"},
    {251, "BLUETOOTH_LE_LL"},
    {252, "WIRESHARK_UPPER_PDU"},
    {253, "NETLINK"},
    {258, "PKTAP"},
    {274, "ETHERNET_MPACKET"},
    {281, "DSA_TAG_BRCM"},
    {282, "DSA_TAG_BRCM_PREPEND"},
    {284, "DSA_TAG_DSA"},
    {285, "DSA_TAG_EDSA"},
}};

std::string name_of_link_type(std::uint32_t number) {
  if (number >= 147 && number <= 162) return fmt::format("USER{}", number - 147);
  const auto found = std::ranges::find(named, number, &NamedLinkType::number);
  return found == named.end() ? "unnamed" : std::string{found->name};
}

}  // namespace

std::optional<LinkType> supported_link_type(std::uint32_t number) {
  const auto same = [number](LinkType link) { return static_cast<std::uint32_t>(link) == number; };
  const auto found = std::ranges::find_if(supported, same);
  if (found == supported.end()) return std::nullopt;
  return *found;
}

std::string unsupported_link_type(std::uint32_t number) {
  return fmt::format(
      "link type {} ({}) is not supported; supported are Ethernet, raw IP, BSD null/loop, Linux "
      "cooked v1 and v2, PPP, Cisco HDLC, IEEE 802.11 with and without radiotap",
      number, name_of_link_type(number));
}

}  // namespace sojourn
