#pragma once
// IPv6, RFC 8200, and its extension headers.

#include <array>
#include <cstddef>
#include <cstdint>

#include "wire/headers/ipv4.h"

namespace sojourn {

struct Ipv6Header {
  Be32 version_class_label = 6u << 28;
  Be16 payload_length{};  // extension headers included; 0 for jumbograms (RFC 2675) and offloads
  IpProtocol next_header{};
  std::uint8_t hop_limit = 64;
  std::array<std::uint8_t, 16> source{};
  std::array<std::uint8_t, 16> destination{};

  std::uint8_t version() const { return static_cast<std::uint8_t>(version_class_label >> 28); }
};
static_assert(sizeof(Ipv6Header) == 40 && WireStruct<Ipv6Header>);

/// Hop-by-hop, routing, destination options (RFC 8200 section 4.3): the first two bytes.
struct Ipv6Extension {
  IpProtocol next_header{};
  std::uint8_t extra_length = 0;  // in units of 8 bytes, not counting the first 8

  std::size_t length() const { return (extra_length + 1u) * 8u; }
  /// The authentication header counts 32-bit words, minus 2 (RFC 4302 section 2.2).
  std::size_t authentication_length() const { return (extra_length + 2u) * 4u; }
};
static_assert(sizeof(Ipv6Extension) == 2 && WireStruct<Ipv6Extension>);

/// RFC 8200 section 4.5.
struct Ipv6Fragment {
  IpProtocol next_header{};
  std::uint8_t reserved = 0;
  Be16 offset_and_more{};  // offset in units of 8 bytes (13 bits), reserved (2), more fragments (1)
  Be32 identification{};

  bool more_fragments() const { return (offset_and_more & 1u) != 0; }
  std::size_t fragment_offset() const { return offset_and_more & 0xfff8u; }
};
static_assert(sizeof(Ipv6Fragment) == 8 && WireStruct<Ipv6Fragment>);

}  // namespace sojourn
