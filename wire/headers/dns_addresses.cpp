#include "wire/headers/dns_addresses.h"

#include "wire/headers/dns.h"

namespace sojourn {
namespace {

constexpr std::size_t longest_name = 255;

std::uint8_t byte_at(std::span<const std::byte> message, std::size_t at) {
  return std::to_integer<std::uint8_t>(message[at]);
}

char lower(std::uint8_t byte) {
  return static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

}  // namespace

std::optional<std::string> read_dns_name(std::span<const std::byte> message, std::size_t& at) {
  std::string name;
  std::size_t place = at, length = 0;
  std::size_t least_pointer = at;  // each points further back than the one before
  bool jumped = false;
  while (place < message.size()) {
    const std::uint8_t label = byte_at(message, place);
    if (label >= 0xc0) {
      if (place + 1 >= message.size()) return std::nullopt;
      const std::size_t target = (label & 0x3fu) << 8 | byte_at(message, place + 1);
      if (target >= least_pointer) return std::nullopt;
      if (!jumped) at = place + 2;
      jumped = true;
      place = least_pointer = target;
      continue;
    }
    if (label > 63) return std::nullopt;
    if (label == 0) {
      if (!jumped) at = place + 1;
      return name;
    }
    length += label + 1u;
    if (length > longest_name || message.size() - place <= label) return std::nullopt;
    if (!name.empty()) name += '.';
    for (std::size_t i = 1; i <= label; ++i) {
      const std::uint8_t byte = byte_at(message, place + i);
      if (byte == '.' || byte == '\\') name += '\\';
      name += lower(byte);
    }
    place += label + 1u;
  }
  return std::nullopt;
}

void read_dns_addresses(std::span<const std::byte> message,
                        const std::function<void(std::string_view, const IpAddress&)>& found) {
  constexpr std::uint16_t internet = 1, type_a = 1, type_aaaa = 28;
  if (message.size() < sizeof(DnsHeader)) return;
  const auto* header = reinterpret_cast<const DnsHeader*>(message.data());
  if (!header->is_response() || header->opcode() != 0 || header->questions != 1) return;
  std::size_t at = sizeof(DnsHeader);
  const auto asked = read_dns_name(message, at);
  if (!asked || asked->empty()) return;
  at += 4;  // type and class
  for (unsigned left = header->answers; left > 0; --left) {
    if (at > message.size() || !read_dns_name(message, at)) return;
    if (at + 10 > message.size()) return;
    const auto type = load_network<std::uint16_t>(&message[at]);
    const auto address_class = load_network<std::uint16_t>(&message[at + 2]);
    const auto length = load_network<std::uint16_t>(&message[at + 8]);
    at += 10;
    if (message.size() - at < length) return;
    if (address_class == internet && type == type_a && length == 4)
      found(*asked, IpAddress::v4(message.subspan(at).first<4>()));
    if (address_class == internet && type == type_aaaa && length == 16)
      found(*asked, IpAddress::v6(message.subspan(at).first<16>()));
    at += length;
  }
}

}  // namespace sojourn
