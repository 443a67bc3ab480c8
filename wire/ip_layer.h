#pragma once
// The one reader of IP headers, with IPv4's options and IPv6's extension headers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/headers/cursor.h"
#include "wire/headers/ipv6_chain.h"
#include "wire/skip.h"

namespace sojourn {

/// An IP header with its options or extension headers, and the length of the packet behind it.
struct IpLayer {
  const std::byte* ip = nullptr;       ///< null: there is none
  std::uint32_t captured = 0;          ///< bytes that may be read at `ip`, padding excluded
  std::uint32_t length = 0;            ///< bytes on the wire, by the IP header
  std::uint32_t transport_offset = 0;  ///< from `ip` past IPv4 options or IPv6 extension headers
  std::uint16_t fragment_offset = 0;   ///< from `ip` to the IPv6 fragment header; 0: there is none
  IpProtocol protocol{};               ///< at transport_offset
  bool is_ipv6 : 1 = false;
  bool first_fragment : 1 = false;  ///< more fragments follow
  bool later_fragment : 1 = false;  ///< has no transport header
};

/// Reads the header at the front of `rest` and moves `rest` behind it.  A Skip says why the payload
/// cannot be read.  The layer is filled in as far as it could be read; its `ip` is null if there is
/// no IP header.
[[gnu::always_inline]] inline std::optional<Skip> read_ipv4_layer(Cursor& rest, IpLayer& layer) {
  const auto* header = rest.peek<Ipv4Header>();
  if (!header) return Skip::truncated_ip;
  if (header->version() != 4) return Skip::bad_ip_version;
  const std::size_t header_length = header->length();
  if (header_length < sizeof(Ipv4Header)) return Skip::bad_ip_length;

  // Segmentation offload leaves 0; then the layer below gives the packet's length.  A total length
  // beyond the frame is believed: the frame was cut before the capture stated its length, and both
  // ends of a connection count by this field.
  if (header->total_length > 0) rest.set_length(header->total_length);
  if (rest.length() < header_length) return Skip::bad_ip_length;
  const bool later = header->fragment_offset() > 0;
  layer = {.ip = rest.data(),
           .captured = static_cast<std::uint32_t>(rest.captured().size()),
           .length = static_cast<std::uint32_t>(rest.length()),
           .transport_offset = static_cast<std::uint32_t>(header_length),
           .protocol = header->protocol,
           .first_fragment = !later && header->more_fragments(),
           .later_fragment = later};
  if (later) return Skip::fragment;
  if (!rest.skip(header_length)) return Skip::truncated_ip;
  return std::nullopt;
}

/// Walks IPv6's extension headers.  The layer ends where the walk ends.
std::optional<Skip> read_extensions(Cursor& rest, IpLayer& layer);

inline std::optional<Skip> read_ipv6_layer(Cursor& rest, IpLayer& layer) {
  const auto* header = rest.peek<Ipv6Header>();
  if (!header) return Skip::truncated_ip;
  if (header->version() != 6) return Skip::bad_ip_version;
  // Jumbograms (RFC 2675) and offloads leave 0.
  if (header->payload_length > 0) rest.set_length(sizeof(Ipv6Header) + header->payload_length);
  layer = {.ip = rest.data(),
           .captured = static_cast<std::uint32_t>(rest.captured().size()),
           .length = static_cast<std::uint32_t>(rest.length()),
           .transport_offset = sizeof(Ipv6Header),
           .protocol = header->next_header,
           .is_ipv6 = true};
  if (!has_extensions(layer.protocol)) [[likely]]
    return rest.skip(sizeof(Ipv6Header)) ? std::nullopt : std::optional{Skip::truncated_ip};
  return read_extensions(rest, layer);
}

/// Reads an authentication header, which is the same in both versions, and says what it protects.
inline std::optional<IpProtocol> take_authentication(Cursor& rest) {
  const auto* header = rest.peek<Ipv6Extension>();
  if (!header || !rest.skip(header->authentication_length())) return std::nullopt;
  return header->next_header;
}

}  // namespace sojourn
