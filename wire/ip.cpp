// IPv4, IPv6 and its extension headers.

#include "wire/dissection.h"
#include "wire/headers/ipv6.h"

namespace sojourn {
namespace {

void enter_ip(Dissection& at, bool is_ipv6) {
  at.ip = at.cursor.data();
  at.ip_captured = at.cursor.captured().size();
  at.is_ipv6 = is_ipv6;
  at.first_fragment = false;
}

/// The authentication header is the same in both versions; after it comes what it protects.
Step read_authentication(Dissection& at) {
  const auto* header = at.cursor.peek<Ipv6Extension>();
  if (!header || !at.cursor.skip(header->authentication_length())) return Skip::truncated_ip;
  at.protocol = header->next_header;
  return layer_of(at.protocol);
}

/// Any of hop-by-hop, routing and destination options.
constexpr bool is_plain_extension(IpProtocol protocol) {
  return protocol == IpProtocol::hop_by_hop || protocol == IpProtocol::routing ||
         protocol == IpProtocol::destination_options || protocol == IpProtocol::mobility;
}

}  // namespace

Step read_any_ip(Dissection& at) {
  const auto* first = at.cursor.peek<std::uint8_t>();
  if (!first) return Skip::truncated_ip;
  switch (*first >> 4) {
    case 4:
      return Layer::ipv4;
    case 6:
      return Layer::ipv6;
    default:
      return Skip::bad_ip_version;
  }
}

Step read_ipv4(Dissection& at) {
  const auto* header = at.cursor.peek<Ipv4Header>();
  if (!header) return Skip::truncated_ip;
  if (header->version() != 4) return Skip::bad_ip_version;
  if (header->length() < sizeof(Ipv4Header)) return Skip::bad_ip_length;

  // Segmentation offload leaves 0, then the packet is as long as the layer below says.  A total
  // length beyond the frame is believed: the frame was cut before the capture stated its length,
  // and both ends of a connection count by this field.
  if (header->total_length > 0) at.cursor.set_length(header->total_length);
  if (at.cursor.length() < header->length()) return Skip::bad_ip_length;
  enter_ip(at, false);
  if (header->fragment_offset() > 0) return Skip::fragment;

  at.first_fragment = header->more_fragments();
  at.protocol = header->protocol;
  if (!at.cursor.skip(header->length())) return Skip::truncated_ip;
  if (at.protocol == IpProtocol::authentication) return read_authentication(at);
  return layer_of(at.protocol);
}

Step read_ipv6(Dissection& at) {
  const auto* header = at.cursor.peek<Ipv6Header>();
  if (!header) return Skip::truncated_ip;
  if (header->version() != 6) return Skip::bad_ip_version;
  // Jumbograms (RFC 2675) and offloads leave 0.
  if (header->payload_length > 0) at.cursor.set_length(sizeof(Ipv6Header) + header->payload_length);
  enter_ip(at, true);
  if (!at.cursor.skip(sizeof(Ipv6Header))) return Skip::truncated_ip;

  // Also keeps the way from the header to the payload within Summary's 16 bits.
  constexpr int longest_chain = 12;
  at.protocol = header->next_header;
  for (int extensions = 0; extensions < longest_chain; ++extensions) {
    if (is_plain_extension(at.protocol)) {
      const auto* extension = at.cursor.peek<Ipv6Extension>();
      if (!extension || !at.cursor.skip(extension->length())) return Skip::truncated_ip;
      at.protocol = extension->next_header;
    } else if (at.protocol == IpProtocol::fragment) {
      const auto* fragment = at.cursor.take<Ipv6Fragment>();
      if (!fragment) return Skip::truncated_ip;
      if (fragment->fragment_offset() > 0) return Skip::fragment;
      // RFC 6946: offset 0 and nothing to follow is a whole packet.
      at.first_fragment = at.first_fragment || fragment->more_fragments();
      at.protocol = fragment->next_header;
    } else if (at.protocol == IpProtocol::authentication) {
      return read_authentication(at);
    } else if (at.protocol == IpProtocol::no_next) {
      return Skip::not_paired;
    } else {
      return layer_of(at.protocol);
    }
  }
  return Skip::too_deep;
}

}  // namespace sojourn
