#include "wire/headers/marking_option.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "wire/headers/ipv6_chain.h"

namespace sojourn {
namespace {

constexpr std::uint8_t pad_1 = 0, pad_n = 1;  // RFC 8200 section 4.2

constexpr IpProtocol number_of(OptionPlace place) {
  return place == OptionPlace::hop_by_hop ? IpProtocol::hop_by_hop
                                          : IpProtocol::destination_options;
}

/// One extension header: where it is, and where the number that announces it stands.
struct Extension {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::size_t announced_at = offsetof(Ipv6Header, next_header);
};

const Ipv6Extension& extension_at(std::span<const std::byte> ip, std::size_t offset) {
  return *reinterpret_cast<const Ipv6Extension*>(ip.data() + offset);
}

/// Calls visit(number, extension) for each extension header that was captured whole, until it
/// returns true.  False if the chain is cut short by the capture, or too long.
template <class Visit>
bool walk(std::span<const std::byte> ip, Visit visit) {
  for (Ipv6Chain chain{ip}; !chain.too_long();) {
    const IpProtocol number = chain.number();
    // RFC 8200 section 4.1: hop-by-hop options are first if present.
    const bool plain = (number == IpProtocol::hop_by_hop && chain.is_first()) ||
                       number == IpProtocol::destination_options || number == IpProtocol::routing;
    if (!plain && number != IpProtocol::authentication) return true;
    const auto length = chain.length();
    if (!length || !chain.holds(*length)) return false;
    if (visit(number, Extension{chain.offset(), *length, chain.announced_at()})) return true;
    chain.pass(*length);
  }
  return false;
}

bool is_ipv6(std::span<const std::byte> ip) {
  return ip.size() >= sizeof(Ipv6Header) && (ip[0] >> 4) == std::byte{6};
}

struct Search {
  std::optional<std::size_t> option = {};  ///< from `ip`
  bool whole = true;                       ///< all options up to there fit into the header
};

Search search(std::span<const std::byte> ip, const Extension& header) {
  const std::size_t end = header.offset + header.length;
  std::size_t at = header.offset + sizeof(Ipv6Extension);
  while (at < end) {
    const auto type = std::to_integer<std::uint8_t>(ip[at]);
    if (type == pad_1) {
      ++at;
      continue;
    }
    if (end - at < 2) return {.whole = false};
    const auto length = std::to_integer<std::size_t>(ip[at + 1]);
    if (end - at - 2 < length) return {.whole = false};
    if (type == AltMarkOption::option_type && length == 4) return {.option = at};
    at += 2 + length;
  }
  return {};
}

/// The extension header of this kind, or an empty one where it would have to be inserted.
Extension place_for(std::span<const std::byte> ip, OptionPlace place) {
  Extension found{.offset = sizeof(Ipv6Header)};
  walk(ip, [&](IpProtocol number, const Extension& header) {
    if (number == number_of(place)) {
      found = header;
      return true;
    }
    // RFC 8200 section 4.1: hop-by-hop options come first, destination options directly after them.
    if (number != IpProtocol::hop_by_hop) return true;
    found = {.offset = header.offset + header.length, .announced_at = header.offset};
    return false;
  });
  return found;
}

void add_payload_length(std::byte* ip, int change) {
  auto& header = *reinterpret_cast<Ipv6Header*>(ip);
  header.payload_length = static_cast<std::uint16_t>(header.payload_length + change);
}

}  // namespace

std::optional<std::size_t> find_alt_mark(std::span<const std::byte> ip, OptionPlace place) {
  std::optional<std::size_t> found;
  if (!is_ipv6(ip)) return found;
  walk(ip, [&](IpProtocol number, const Extension& header) {
    if (number == number_of(place)) found = search(ip, header).option;
    return found.has_value();
  });
  return found;
}

OptionRefusal may_insert_alt_mark(std::span<const std::byte> ip, OptionPlace place) {
  if (!is_ipv6(ip)) return OptionRefusal::not_ipv6;
  const std::size_t payload = reinterpret_cast<const Ipv6Header*>(ip.data())->payload_length;
  if (payload == 0 || payload + alt_mark_growth > 0xffff) return OptionRefusal::no_length;
  bool authenticated = false;
  const bool whole = walk(ip, [&](IpProtocol number, const Extension&) {
    return authenticated = number == IpProtocol::authentication;
  });
  if (authenticated) return OptionRefusal::authenticated;
  if (!whole) return OptionRefusal::truncated;
  const Extension header = place_for(ip, place);
  if (header.length == 0) return OptionRefusal::none;
  if (extension_at(ip, header.offset).extra_length == 0xff) return OptionRefusal::header_full;
  if (!search(ip, header).whole) return OptionRefusal::bad_options;
  return OptionRefusal::none;
}

void insert_alt_mark(std::span<const std::byte> ip, OptionPlace place, const AltMarkOption& option,
                     std::span<std::byte> out) {
  assert(out.size() == ip.size() + alt_mark_growth);
  const Extension header = place_for(ip, place);
  const std::size_t at = header.offset + header.length;
  const auto rest = std::copy_n(ip.data(), at, out.data());
  std::copy(ip.begin() + static_cast<std::ptrdiff_t>(at), ip.end(), rest + alt_mark_growth);
  // Both forms leave the option at an offset of 4n+2 (RFC 9343 section 3.1).
  if (header.length > 0) {
    rest[0] = std::byte{pad_n};
    rest[1] = std::byte{0};
    auto& extension = *reinterpret_cast<Ipv6Extension*>(out.data() + header.offset);
    ++extension.extra_length;
  } else {
    rest[0] = out[header.announced_at];
    rest[1] = std::byte{0};
    out[header.announced_at] = static_cast<std::byte>(number_of(place));
  }
  std::memcpy(rest + 2, &option, sizeof option);
  add_payload_length(out.data(), static_cast<int>(alt_mark_growth));
}

bool remove_alt_mark(std::span<const std::byte> ip, OptionPlace place, std::span<std::byte> out) {
  assert(out.size() == ip.size());
  const auto option = find_alt_mark(ip, place);
  if (!option) return false;
  const Extension header = place_for(ip, place);
  const std::size_t payload = reinterpret_cast<const Ipv6Header*>(ip.data())->payload_length;
  if (header.offset + header.length != *option + sizeof(AltMarkOption) || payload < alt_mark_growth)
    return false;
  const std::size_t from = *option - 2;  // padding, or the extension header's own first two bytes
  const bool alone = header.length == alt_mark_growth;
  if (!alone && (ip[from] != std::byte{pad_n} || ip[from + 1] != std::byte{0})) return false;

  const auto rest = std::copy_n(ip.data(), from, out.data());
  std::copy(ip.begin() + static_cast<std::ptrdiff_t>(from + alt_mark_growth), ip.end(), rest);
  if (alone)
    out[header.announced_at] = ip[header.offset];
  else
    --reinterpret_cast<Ipv6Extension*>(out.data() + header.offset)->extra_length;
  add_payload_length(out.data(), -static_cast<int>(alt_mark_growth));
  return true;
}

}  // namespace sojourn
