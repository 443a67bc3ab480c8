#pragma once
// Why a packet has no Summary.  Each reason is a named counter.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/enum_counters.h"

namespace sojourn {

enum class Skip : std::uint8_t {
  not_paired,    // understood, but nothing that has a response: UDP of other protocols, ICMP errors
  not_wanted,    // belongs to a kind that was not asked for
  not_ip,        // ARP, LLDP, spanning tree, PPP control, tunnel keep-alives, ...
  fragment,      // not the first fragment: its ports are elsewhere
  unknown_link,  // link type that is not read
  unknown_ethertype,    // EtherType, LLC, PPP or VXLAN-GPE protocol that is not read
  unknown_protocol,     // IP protocol that is not read
  encrypted,            // ESP, MACsec, protected 802.11 frames
  compressed,           // IPComp, PPP with compressed headers or payload
  truncated_link,       // the capture ends inside the link header, a VLAN tag, an MPLS label, ...
  truncated_ip,         // ... inside the IP header or an extension header
  truncated_tunnel,     // ... inside GRE, VXLAN, ...
  truncated_transport,  // ... inside TCP, UDP, ICMP, or before the bytes that pair the message
  bad_ip_version,       // IP was announced, but the version field says otherwise
  bad_ip_length,        // IPv4 header below 20 bytes, or total length below the header
  bad_tcp_offset,       // TCP data offset below 5, or header beyond the IP packet
  bad_udp_length,       // UDP length below 8
  bad_tunnel,           // a tunnel header that contradicts itself
  too_deep,             // more layers than we follow
  copy,                 // seen before: captured twice (pipeline/copy_filter.h)
  count_
};

using SkipCounters = EnumCounters<Skip>;

inline constexpr std::array<std::string_view, SkipCounters::size> skip_names = {
    "not-paired",          "not-wanted",        "not-ip",           "fragment",
    "unknown-link",        "unknown-ethertype", "unknown-protocol", "encrypted",
    "compressed",          "truncated-link",    "truncated-ip",     "truncated-tunnel",
    "truncated-transport", "bad-ip-version",    "bad-ip-length",    "bad-tcp-offset",
    "bad-udp-length",      "bad-tunnel",        "too-deep",         "copies"};
static_assert(!skip_names.back().empty());

constexpr std::string_view name_of(Skip skip) { return skip_names[static_cast<std::size_t>(skip)]; }

}  // namespace sojourn
