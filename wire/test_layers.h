#pragma once
// Every supported encapsulation, for tests that stack them.

#include <functional>
#include <string>
#include <vector>

#include "wire/headers/gre.h"
#include "wire/headers/link.h"
#include "wire/headers/mpls.h"
#include "wire/headers/ppp.h"
#include "wire/test_packets.h"

namespace sojourn::test {

/// What a layer may carry, so that only fitting layers are stacked.
enum class Form { ipv4, ipv6, frame };

struct Carried {
  Form form;
  Bytes bytes;
};

inline Be16 type_of(const Carried& inner) {
  return static_cast<std::uint16_t>(inner.form == Form::ipv6   ? EtherType::ipv6
                                    : inner.form == Form::ipv4 ? EtherType::ipv4
                                                               : EtherType::transparent_bridging);
}

inline Bytes gre(std::uint16_t flags, Be16 type, std::size_t optional) {
  return bytes_of(GreHeader{flags, type}) + zeros(optional);
}

/// The outer packet of a tunnel has other addresses than the inner one.
inline constexpr Ends outer_ends{0x0a000001, 0x0a000002, 50000, 0};

inline Carried in_ipv4(IpProtocol protocol, const Bytes& payload) {
  return {Form::ipv4, ipv4(outer_ends, protocol, payload)};
}
inline Carried in_ipv6(IpProtocol protocol, const Bytes& payload) {
  return {Form::ipv6, ipv6(outer_ends, protocol, payload)};
}
inline Carried in_udp(std::uint16_t port, const Bytes& payload) {
  return in_ipv4(IpProtocol::udp, udp(50000, port, payload));
}
inline Bytes ppp(const Carried& inner, bool framed, bool compressed) {
  const int protocol = inner.form == Form::ipv6 ? 0x57 : 0x21;
  return (framed ? bytes_of({0xff, 0x03}) : Bytes{}) +
         (compressed ? bytes_of({protocol}) : bytes_of({0, protocol})) + inner.bytes;
}
inline Bytes llc_snap(const Carried& inner) {
  return bytes_of({0xaa, 0xaa, 3, 0, 0, 0}) + bytes_of(type_of(inner)) + inner.bytes;
}
/// An entry of a label stack, with a time to live of 64.
inline Bytes mpls_label(std::uint32_t label, bool bottom) {
  return bytes_of(MplsLabel{Be32{label << 12 | (bottom ? 0x100u : 0u) | 64u}});
}
inline Bytes labels(const Bytes& payload) {
  return mpls_label(100, false) + mpls_label(200, true) + payload;
}
inline Bytes pppoe(const Carried& inner) {
  const Bytes payload = ppp(inner, false, false);
  PppoeHeader header;
  header.length = static_cast<std::uint16_t>(payload.size());
  return bytes_of(header) + payload;
}
inline Bytes geneve(const Carried& inner) {
  return bytes_of({2, 0}) + bytes_of(type_of(inner)) + zeros(4) + zeros(8) + inner.bytes;
}

/// `next` is VXLAN-GPE's protocol; 0: plain VXLAN.
inline Bytes vxlan(int next, const Bytes& payload) {
  return bytes_of({next == 0 ? 0x08 : 0x0c, 0, 0, next, 0, 0, 7, 0}) + payload;
}
/// RFC 8300: version 0, metadata type 1, so six words.
inline Bytes service_header(int next, const Bytes& payload) {
  return bytes_of({0x0f, 0xc6, 1, next}) + zeros(20) + payload;
}
/// `optional` are sequence number, N-PDU number and extensions.
inline Bytes gtp(int flags, const Bytes& optional, const Bytes& payload) {
  const Be16 length = static_cast<std::uint16_t>(optional.size() + payload.size());
  return bytes_of({flags, 255}) + bytes_of(length) + bytes_of({0, 0, 0, 9}) + optional + payload;
}
/// With a length field.
inline Bytes l2tp(int flags, const Bytes& fields, const Bytes& payload) {
  const Be16 length = static_cast<std::uint16_t>(4 + fields.size() + payload.size());
  return bytes_of({0x40 | flags, 2}) + bytes_of(length) + fields + payload;
}

struct Wrapping {
  std::string name;
  bool (*fits)(Form);
  std::function<Carried(const Carried&)> wrap;
  std::string tunnel{};  ///< what --by tunnel calls it; empty below IP
};

inline bool any_ip(Form form) { return form != Form::frame; }
inline bool only_ipv6(Form form) { return form == Form::ipv6; }
inline bool only_ipv4(Form form) { return form == Form::ipv4; }
inline bool only_frame(Form form) { return form == Form::frame; }
inline bool anything(Form) { return true; }

inline std::vector<Wrapping> wrappings() {
  using C = const Carried&;
  const auto ip_in_ip = [](C in) {
    return in.form == Form::ipv6 ? IpProtocol::ipv6 : IpProtocol::ipv4;
  };
  const auto vlan = [](EtherType outer, C in) {
    return Carried{Form::frame,
                   ethernet(outer, bytes_of({0x20, 0x05}) + bytes_of(type_of(in)) + in.bytes)};
  };
  return {
      {"ethernet", any_ip,
       [](C in) { return Carried{Form::frame, ethernet(type_of(in), in.bytes)}; }},
      {"vlan", any_ip, [=](C in) { return vlan(EtherType::vlan, in); }},
      {"provider vlan", any_ip, [=](C in) { return vlan(EtherType::provider_vlan, in); }},
      {"qinq", any_ip,
       [](C in) {
         return Carried{Form::frame,
                        ethernet(EtherType::provider_vlan, bytes_of({0, 7, 0x81, 0, 0, 8}) +
                                                               bytes_of(type_of(in)) + in.bytes)};
       }},
      {"802.3 with padding", any_ip,
       [](C in) {
         const Bytes llc = llc_snap(in);
         return Carried{Form::frame,
                        ethernet(static_cast<std::uint16_t>(llc.size()), llc + zeros(7))};
       }},
      {"ethernet padding", any_ip,
       [](C in) { return Carried{Form::frame, ethernet(type_of(in), in.bytes + zeros(30))}; }},
      {"vn tag", any_ip,
       [](C in) {
         return Carried{Form::frame,
                        ethernet(EtherType::vn_tag, zeros(4) + bytes_of(type_of(in)) + in.bytes)};
       }},
      {"mpls", any_ip,
       [](C in) { return Carried{Form::frame, ethernet(EtherType::mpls, labels(in.bytes))}; }},
      {"pseudowire with control word", only_frame,
       [](C in) {
         return Carried{Form::frame, ethernet(EtherType::mpls, labels(zeros(4) + in.bytes))};
       }},
      {"pseudowire", only_frame,
       [](C in) { return Carried{Form::frame, ethernet(EtherType::mpls, labels(in.bytes))}; }},
      {"provider backbone", only_frame,
       [](C in) {
         return Carried{Form::frame, ethernet(EtherType::provider_backbone, zeros(4) + in.bytes)};
       }},
      {"pppoe", any_ip,
       [](C in) { return Carried{Form::frame, ethernet(EtherType::pppoe_session, pppoe(in))}; }},
      {"ip in ipv4", any_ip, [=](C in) { return in_ipv4(ip_in_ip(in), in.bytes); }, "ip"},
      {"ip in ipv6", any_ip, [=](C in) { return in_ipv6(ip_in_ip(in), in.bytes); }, "ip"},
      {"gre", anything,
       [](C in) { return in_ipv4(IpProtocol::gre, gre(0, type_of(in), 0) + in.bytes); }, "gre"},
      {"gre with all fields", anything,
       [](C in) { return in_ipv6(IpProtocol::gre, gre(0xb000, type_of(in), 12) + in.bytes); },
       "gre 0"},
      {"gre with mpls", any_ip,
       [](C in) { return in_ipv4(IpProtocol::gre, gre(0, 0x8847, 0) + labels(in.bytes)); }, "gre"},
      {"pptp", any_ip,
       [](C in) {
         const Bytes payload = ppp(in, true, false);
         const Be16 length = static_cast<std::uint16_t>(payload.size());
         return in_ipv4(IpProtocol::gre,
                        gre(0x3081, 0x880b, 0) + bytes_of(length) + zeros(10) + payload);
       },
       "pptp"},
      {"erspan 1", only_frame,
       [](C in) { return in_ipv4(IpProtocol::gre, gre(0, 0x88be, 0) + in.bytes); }, "erspan"},
      {"erspan 2", only_frame,
       [](C in) { return in_ipv4(IpProtocol::gre, gre(0x1000, 0x88be, 4) + zeros(8) + in.bytes); },
       "erspan"},
      {"erspan 3", only_frame,
       [](C in) {
         return in_ipv4(IpProtocol::gre,
                        gre(0x1000, 0x22eb, 4) + zeros(11) + bytes_of({1}) + zeros(8) + in.bytes);
       },
       "erspan"},
      {"wccp", only_ipv4,
       [](C in) { return in_ipv4(IpProtocol::gre, gre(0, 0x883e, 0) + zeros(4) + in.bytes); },
       "gre"},
      {"ether-ip", only_frame,
       [](C in) { return in_ipv4(IpProtocol::ether_ip, bytes_of({0x30, 0}) + in.bytes); },
       "ethernet"},
      {"ethernet in ip", only_frame, [](C in) { return in_ipv4(IpProtocol::ethernet, in.bytes); },
       "ethernet"},
      {"mpls in ip", any_ip, [](C in) { return in_ipv4(IpProtocol::mpls, labels(in.bytes)); },
       "mpls"},
      {"vxlan", only_frame, [](C in) { return in_udp(4789, vxlan(0, in.bytes)); }, "vxlan 7"},
      {"vxlan on linux", only_frame, [](C in) { return in_udp(8472, vxlan(0, in.bytes)); },
       "vxlan 7"},
      {"vxlan with group policy", only_frame,
       [](C in) { return in_udp(4789, bytes_of({0x88, 0, 1, 2, 0, 0, 7, 0}) + in.bytes); },
       "vxlan 7"},
      {"vxlan-gpe", anything,
       [](C in) {
         return in_udp(4790, vxlan(in.form == Form::ipv4   ? 1
                                   : in.form == Form::ipv6 ? 2
                                                           : 3,
                                   in.bytes));
       },
       "vxlan 7"},
      {"vxlan-gpe on vxlan's port", only_ipv6,
       [](C in) { return in_udp(4789, vxlan(2, in.bytes)); }, "vxlan 7"},
      {"vxlan-gpe with mpls", any_ip, [](C in) { return in_udp(4790, vxlan(5, labels(in.bytes))); },
       "vxlan 7"},
      {"vxlan-gpe with service header", only_frame,
       [](C in) { return in_udp(4790, vxlan(4, service_header(3, in.bytes))); }, "vxlan 7"},
      {"geneve", anything, [](C in) { return in_udp(6081, geneve(in)); }, "geneve 0"},
      {"gtp", any_ip, [](C in) { return in_udp(2152, gtp(0x30, {}, in.bytes)); }, "gtp"},
      {"gtp with extension", any_ip,
       [](C in) {
         return in_udp(2152, gtp(0x34, bytes_of({0, 0, 0, 0x85, 1, 0, 0, 0}), in.bytes));
       },
       "gtp"},
      {"l2tp", any_ip,
       [](C in) { return in_udp(1701, bytes_of({0, 2, 0, 1, 0, 2}) + ppp(in, true, false)); },
       "l2tp"},
      {"l2tp with all fields", any_ip,
       [](C in) {
         return in_udp(1701, l2tp(0x0a, bytes_of({0, 1, 0, 2, 0, 0, 0, 0, 0, 2, 9, 9}),
                                  ppp(in, false, true)));
       },
       "l2tp"},
      {"teredo", only_ipv6, [](C in) { return in_udp(3544, in.bytes); }, "teredo"},
      {"teredo with indications", only_ipv6,
       [](C in) {
         return in_udp(3544, bytes_of({0, 1, 1, 2}) + zeros(3 + 9) + zeros(8) + in.bytes);
       },
       "teredo"},
      {"ayiya", only_ipv6,
       [](C in) {
         return in_udp(5072, bytes_of({0x41, 0x52, 1, 41, 0, 0, 0, 0}) + zeros(16 + 20) + in.bytes);
       },
       "ayiya"},
      {"mpls in udp", any_ip, [](C in) { return in_udp(6635, labels(in.bytes)); }, "mpls"},
  };
}

/// The outermost header, as the capture's link type requires.
struct Linking {
  LinkType link;
  bool (*fits)(Form);
  std::function<Bytes(const Carried&)> wrap;
};

inline std::vector<Linking> linkings() {
  using C = const Carried&;
  const auto bare = [](C in) { return in.bytes; };
  return {
      {LinkType::ethernet, only_frame, bare},
      {LinkType::raw, any_ip, bare},
      {LinkType::raw_bsd, any_ip, bare},
      {LinkType::raw_openbsd, any_ip, bare},
      {LinkType::ipv4, only_ipv4, bare},
      {LinkType::ipv6, only_ipv6, bare},
      {LinkType::null, only_ipv4, [](C in) { return bytes_of({2, 0, 0, 0}) + in.bytes; }},
      {LinkType::null, only_ipv4, [](C in) { return bytes_of({0, 0, 0, 2}) + in.bytes; }},
      {LinkType::null, only_ipv6, [](C in) { return bytes_of({30, 0, 0, 0}) + in.bytes; }},
      {LinkType::loop, only_ipv6, [](C in) { return bytes_of({0, 0, 0, 24}) + in.bytes; }},
      {LinkType::linux_cooked, any_ip,
       [](C in) { return bytes_of(LinuxCooked{.protocol = type_of(in)}) + in.bytes; }},
      {LinkType::linux_cooked2, any_ip,
       [](C in) { return bytes_of(LinuxCooked2{.protocol = type_of(in)}) + in.bytes; }},
      {LinkType::ppp, any_ip, [](C in) { return ppp(in, true, false); }},
      {LinkType::ppp, any_ip, [](C in) { return ppp(in, false, true); }},
      {LinkType::ppp_hdlc, any_ip, [](C in) { return ppp(in, true, false); }},
      {LinkType::ppp_hdlc, any_ip,
       [](C in) { return bytes_of(CiscoHdlcHeader{.type = type_of(in)}) + in.bytes; }},
      {LinkType::cisco_hdlc, any_ip,
       [](C in) { return bytes_of(CiscoHdlcHeader{.type = type_of(in)}) + in.bytes; }},
      {LinkType::ppp_ether, any_ip, pppoe},
      {LinkType::ieee80211, any_ip,
       [](C in) { return bytes_of({0x08, 0x01}) + zeros(22) + llc_snap(in); }},
      {LinkType::ieee80211, any_ip,
       [](C in) {  // four addresses, QoS, HT control
         return bytes_of({0x88, 0x83}) + zeros(22 + 6 + 2 + 4) + llc_snap(in);
       }},
      {LinkType::ieee80211_radiotap, any_ip,
       [](C in) {  // TSFT, flags with data pad; QoS
         return bytes_of({0, 0, 17, 0, 3, 0, 0, 0}) + zeros(8) + bytes_of({0x20}) +
                bytes_of({0x88, 0x01}) + zeros(22 + 2 + 2) + llc_snap(in);
       }},
  };
}

}  // namespace sojourn::test
