#pragma once
// IPv6 through networks without it: Teredo and AYIYA.  Only for tunnels.cpp.

#include "wire/tunnel_likeness.h"
#include "wire/walk.h"

namespace sojourn {

/// RFC 4380 section 5.1.1: indications that may precede the IPv6 packet.
struct TeredoIndication {
  std::uint8_t zero;
  std::uint8_t kind;

  static constexpr std::uint8_t origin = 0, authentication = 1;
  static constexpr std::size_t origin_length = 8, authentication_length = 13;  // + two strings
};

/// From the payload to the IPv6 header; nullopt if the capture ends before.
inline std::optional<std::size_t> teredo_indications(const Cursor& payload) {
  std::size_t length = 0;
  const auto stands = [&](std::uint8_t kind) {
    const auto* indication = payload.peek<TeredoIndication>(length);
    return indication && indication->zero == 0 && indication->kind == kind;
  };
  if (stands(TeredoIndication::authentication)) {
    const auto *client = payload.peek<std::uint8_t>(2), *value = payload.peek<std::uint8_t>(3);
    if (!client || !value) return std::nullopt;
    length += TeredoIndication::authentication_length + *client + *value;
  }
  if (stands(TeredoIndication::origin)) length += TeredoIndication::origin_length;
  if (payload.captured().size() <= length) return std::nullopt;
  return length;
}

inline Step read_teredo(LocatedPacket& at) {
  const auto length = teredo_indications(at.rest);
  if (!length || !at.rest.skip(*length)) return Skip::truncated_tunnel;
  return read_ipv6;
}

inline Likeness likeness_of_teredo(const Suspect& suspect) {
  const auto behind = teredo_indications(suspect.payload);
  if (!behind) return header_if(suspect.payload.length() > suspect.payload.captured().size());
  const auto* ip = suspect.payload.peek<Ipv6Header>(*behind);
  if (!ip) {  // a zero may be the first byte of another indication
    const unsigned first = *suspect.payload.peek<std::uint8_t>(*behind);
    return header_if(suspect.is_cut(*behind, sizeof(Ipv6Header)) &&
                     (first >> 4 == 6 || first == 0));
  }
  const std::size_t end = *behind + sizeof(Ipv6Header) + ip->payload_length;
  if (ip->version() != 6) return Likeness::none;
  // The zeros of a DNS message would parse as hop-by-hop options, which nobody sends here.
  if (ip->next_header == IpProtocol::hop_by_hop) return header_if(end == suspect.stated);
  return likeness_of_end(suspect, end);  // RFC 6081 section 4 allows trailers
}

/// draft-massar-v6ops-ayiya-02 section 3; identity and signature follow.
struct AyiyaHeader {
  std::uint8_t identity;   // length as a power of two (4 bits), type
  std::uint8_t signature;  // length in 32-bit words (4 bits), hash method
  std::uint8_t operation;  // authentication method (4 bits), operation
  IpProtocol next_header;
  Be32 epoch;

  static constexpr std::uint8_t forward = 1;
  std::size_t variable_length() const {
    return (std::size_t{1} << (identity >> 4)) + (signature >> 4) * 4u;
  }
};
static_assert(sizeof(AyiyaHeader) == 8);

inline Step read_ayiya(LocatedPacket& at) {
  const auto* header = at.rest.take<AyiyaHeader>();
  if (!header || !at.rest.skip(header->variable_length())) return Skip::truncated_tunnel;
  if (header->next_header == IpProtocol::no_next) return Skip::not_ip;
  return layer_of(header->next_header);
}

inline Likeness likeness_of_ayiya(const Suspect& suspect) {
  if (suspect.is_cut(0, sizeof(AyiyaHeader))) return Likeness::header;
  const auto* header = suspect.payload.peek<AyiyaHeader>();
  if (!header || (header->operation & 0xfu) != AyiyaHeader::forward) return Likeness::none;
  const std::size_t behind = sizeof(AyiyaHeader) + header->variable_length();
  switch (header->next_header) {
    case IpProtocol::ipv4:
      return likeness_of_ipv4(suspect, behind);
    case IpProtocol::ipv6:
      return likeness_of_ipv6(suspect, behind);
    case IpProtocol::no_next:
      return header_if(suspect.stated == behind);
    default:
      return Likeness::none;
  }
}

}  // namespace sojourn
