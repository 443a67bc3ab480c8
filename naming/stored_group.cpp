#include "naming/stored_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/parse.h"

namespace sojourn {
namespace {

using Bytes = std::array<std::byte, 16>;

// 0100::PORT, and 0100:SIDE:REQUESTER:RESPONDER:PORT:PORT, where SIDE says which one is the server.
constexpr std::byte reserved{1}, server_responds{1}, server_requests{2};

Prefix whole(const Bytes& bytes) { return {IpAddress::v6(bytes), 128}; }

void put(Bytes& bytes, std::size_t at, std::uint16_t number) {
  bytes[at] = static_cast<std::byte>(number >> 8);
  bytes[at + 1] = static_cast<std::byte>(number & 0xff);
}
std::uint16_t number_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}
void put(Bytes& bytes, std::size_t at, const IpAddress& address) {
  std::ranges::transform(address.bytes(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
                         [](std::uint8_t byte) { return std::byte{byte}; });
}
IpAddress address_at(std::span<const std::uint8_t> bytes, std::size_t at) {
  std::array<std::byte, 4> four{};
  std::ranges::transform(bytes.subspan(at, 4), four.begin(),
                         [](std::uint8_t byte) { return std::byte{byte}; });
  return IpAddress::v4(four);
}

StoredGroup::Kind kind_of(const Prefix& group) {
  using enum StoredGroup::Kind;
  const IpAddress& address = group.network();
  if (address.version() == IpVersion::v4 || group.length() != 128) return prefix;
  const auto bytes = address.bytes();
  if (bytes[0] != 1 || bytes[1] != 0 || bytes[2] != 0) return prefix;
  if (bytes[3] != 0) return bytes[3] <= 2 ? flow : prefix;
  return std::ranges::all_of(bytes.subspan(4, 10), [](auto byte) { return byte == 0; }) ? port
                                                                                        : prefix;
}

std::string end_name(const IpAddress& address, std::uint16_t port) {
  return port == 0 ? address.to_string() : fmt::format("{}:{}", address.to_string(), port);
}

Result<void> parse_end(std::string_view text, IpAddress& address, std::uint16_t& port) {
  const auto colon = text.find(':');
  const auto parsed = IpAddress::parse(text.substr(0, colon));
  if (!parsed) return std::unexpected(parsed.error());
  if (parsed->version() != IpVersion::v4) return failure("flows are kept of IPv4");
  address = *parsed;
  if (colon == text.npos) return {};
  const auto number = parse_port(text.substr(colon + 1));
  if (!number) return std::unexpected(number.error());
  port = *number;
  return {};
}

}  // namespace

Prefix group_of_port(std::uint16_t port) {
  Bytes bytes{reserved};
  put(bytes, 14, port);
  return whole(bytes);
}

std::optional<Prefix> group_of_flow(const Sample& sample) {
  if (sample.requester.version() != IpVersion::v4 || sample.responder.version() != IpVersion::v4)
    return std::nullopt;
  Bytes bytes{reserved};
  bytes[3] = sample.requester_is_server ? server_requests : server_responds;
  put(bytes, 4, sample.requester);
  put(bytes, 8, sample.responder);
  put(bytes, 12, sample.requester_port);
  put(bytes, 14, sample.responder_port);
  return whole(bytes);
}

StoredGroup::StoredGroup(const Prefix& group) : kind(kind_of(group)) {
  const auto bytes = group.network().bytes();
  if (kind == Kind::prefix) responder = group;
  if (kind == Kind::port) port = number_at(bytes, 14);
  if (kind == Kind::flow) {
    responder = Prefix{address_at(bytes, 8), 32};
    port = number_at(bytes, bytes[3] == static_cast<std::uint8_t>(server_requests) ? 12 : 14);
  }
}

std::string group_name(const Prefix& group) {
  const StoredGroup stored{group};
  if (stored.kind == StoredGroup::Kind::prefix) return group.to_string();
  if (stored.kind == StoredGroup::Kind::port) return fmt::format("port {}", *stored.port);
  const auto bytes = group.network().bytes();
  return end_name(address_at(bytes, 4), number_at(bytes, 12)) + " > " +
         end_name(address_at(bytes, 8), number_at(bytes, 14));
}

Result<Prefix> parse_group(std::string_view name) {
  constexpr std::string_view port = "port ", arrow = " > ";
  if (name.starts_with(port)) {
    const auto number = parse_port(name.substr(port.size()));
    if (!number) return std::unexpected(number.error());
    return group_of_port(*number);
  }
  const auto at = name.find(arrow);
  if (at == name.npos) return Prefix::parse(name);
  Sample flow;
  for (auto done : {parse_end(name.substr(0, at), flow.requester, flow.requester_port),
                    parse_end(name.substr(at + arrow.size()), flow.responder, flow.responder_port)})
    if (!done) return std::unexpected(done.error());
  return *group_of_flow(flow);
}

bool belongs_to(const Prefix& group, const Prefix& wanted) {
  const StoredGroup stored{group};
  switch (StoredGroup{wanted}.kind) {
    case StoredGroup::Kind::port:
      return stored.port == StoredGroup{wanted}.port;
    case StoredGroup::Kind::flow:  // either end may be the server
      return stored.kind == StoredGroup::Kind::flow &&
             std::ranges::equal(group.network().bytes().subspan(4),
                                wanted.network().bytes().subspan(4));
    case StoredGroup::Kind::prefix:
      break;
  }
  return stored.responder && stored.responder->length() >= wanted.length() &&
         wanted.contains(stored.responder->network());
}

}  // namespace sojourn
