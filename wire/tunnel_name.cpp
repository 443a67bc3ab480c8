#include "wire/tunnel_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/walk.h"

namespace sojourn {
namespace {

/// Walks from the outermost IP header to the first tunnel, as the parser did.  So the name is that
/// of the tunnel which was recognised.
std::string outermost_kind(std::span<const std::byte> outer, bool is_ipv6) {
  LocatedPacket at{.rest = Cursor{outer}};
  Step step = is_ipv6 ? read_ipv6(at) : read_ipv4(at);
  while (step.next() == read_authentication || step.next() == read_udp) step = step.next()(at);
  const auto kind = tunnel_kind(step.next(), at.rest);
  if (!kind) return "tunnel";
  return kind->identifier ? fmt::format("{} {}", kind->name, *kind->identifier)
                          : std::string{kind->name};
}

}  // namespace

std::string tunnel_name(const Summary& packet,
                        const std::function<IpAddress(const IpAddress&)>& shown) {
  if (packet.origin == 0) return {};
  if (packet.origin == Summary::far_away) return "tunnels within tunnels";
  const std::byte* const outer = packet.ip - packet.origin;
  const bool is_ipv6 = std::to_integer<unsigned>(*outer) >> 4 == 6;
  const auto address = [&](std::size_t v6, std::size_t v4) {
    return is_ipv6 ? IpAddress::v6(std::span<const std::byte, 16>{outer + v6, 16})
                   : IpAddress::v4(std::span<const std::byte, 4>{outer + v4, 4});
  };
  IpAddress low = address(8, 12), high = address(24, 16);
  if (shown) {
    low = shown(low);
    high = shown(high);
  }
  if (std::ranges::lexicographical_compare(high.bytes(), low.bytes())) std::swap(low, high);
  const std::string kind =
      outermost_kind({outer, std::size_t{packet.origin} + packet.ip_captured}, is_ipv6);
  return fmt::format("{} {} - {}", kind, low.to_string(), high.to_string());
}

}  // namespace sojourn
