#pragma once
// Ethernet II, IEEE 802.3 with LLC/SNAP, and the tags between the addresses and the type.

#include <array>
#include <cstdint>

#include "wire/headers/endian.h"

namespace sojourn {

/// The IEEE 802 numbers (IANA registry) that we read or can name.
enum class EtherType : std::uint16_t {
  ipv4 = 0x0800,
  arp = 0x0806,
  erspan3 = 0x22eb,
  transparent_bridging = 0x6558,  // a whole Ethernet frame
  rarp = 0x8035,
  vlan = 0x8100,  // IEEE 802.1Q
  ipv6 = 0x86dd,
  slow_protocols = 0x8809,
  ppp = 0x880b,
  wccp = 0x883e,
  mpls = 0x8847,
  mpls_multicast = 0x8848,
  pppoe_discovery = 0x8863,
  pppoe_session = 0x8864,
  eapol = 0x888e,
  provider_vlan = 0x88a8,  // IEEE 802.1ad
  erspan = 0x88be,         // type I and II
  lldp = 0x88cc,
  macsec = 0x88e5,
  provider_backbone = 0x88e7,  // IEEE 802.1ah
  ptp = 0x88f7,
  vn_tag = 0x8926,
  bridge_extension = 0x893f,  // IEEE 802.1BR E-tag
  loopback = 0x9000,
  old_vlan = 0x9100,  // QinQ before it was a standard
  old_vlan2 = 0x9200,
};

/// Values below are an IEEE 802.3 length, not a type (IEEE 802.3 clause 3.2.6).
inline constexpr std::uint16_t first_ether_type = 0x0600;

using MacAddress = std::array<std::uint8_t, 6>;

struct EthernetHeader {
  MacAddress destination{};
  MacAddress source{};
  Be16 type{};
};
static_assert(sizeof(EthernetHeader) == 14 && WireStruct<EthernetHeader>);

/// What follows an EtherType that announces a tag: IEEE 802.1Q clause 9.6.
struct VlanTag {
  Be16 control{};  // priority (3), drop eligible (1), identifier (12)
  Be16 type{};

  std::uint16_t identifier() const { return control & 0x0fffu; }
};
static_assert(sizeof(VlanTag) == 4 && WireStruct<VlanTag>);

/// LLC with SNAP (RFC 1042): aa aa 03, the organisation, then a type of its numbering.
inline constexpr std::uint8_t snap_service = 0xaa;
struct LlcHeader {
  std::uint8_t destination_service = snap_service;
  std::uint8_t source_service = snap_service;
  std::uint8_t control = 0x03;
};
struct SnapHeader {
  std::array<std::uint8_t, 3> organisation{};  // zero: the type is an EtherType
  Be16 type{};
};
static_assert(sizeof(LlcHeader) == 3 && sizeof(SnapHeader) == 5);

}  // namespace sojourn
