#include "core/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "core/parse.h"

namespace sojourn {

IpAddress IpAddress::v4(std::span<const std::byte, 4> bytes) {
  IpAddress address;
  std::memcpy(address.bytes_.data(), bytes.data(), 4);
  return address;
}

IpAddress IpAddress::v6(std::span<const std::byte, 16> bytes) {
  IpAddress address;
  address.version_ = IpVersion::v6;
  std::memcpy(address.bytes_.data(), bytes.data(), 16);
  return address;
}

Result<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated{text};
  std::array<std::byte, 16> raw{};
  if (inet_pton(AF_INET, terminated.c_str(), raw.data()) == 1)
    return v4(std::span<const std::byte, 4>{raw.data(), 4});
  if (inet_pton(AF_INET6, terminated.c_str(), raw.data()) == 1) return v6(raw);
  return failure("'" + terminated + "' is not an IPv4 or IPv6 address");
}

void IpAddress::set_bit(std::size_t index, bool value) {
  const auto mask = static_cast<std::uint8_t>(0x80u >> (index % 8));
  auto& byte = bytes_[index / 8];
  byte = static_cast<std::uint8_t>(value ? byte | mask : byte & ~mask);
}

IpAddress IpAddress::masked(std::size_t length) const {
  IpAddress result = *this;
  for (std::size_t i = 0; i < result.bytes_.size(); ++i) {
    const std::size_t kept = std::clamp<std::size_t>(length, 8 * i, 8 * i + 8) - 8 * i;
    result.bytes_[i] = static_cast<std::uint8_t>(bytes_[i] & (0xff00u >> kept));
  }
  return result;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = version_ == IpVersion::v4 ? AF_INET : AF_INET6;
  inet_ntop(family, bytes_.data(), text.data(), text.size());
  return text.data();
}

std::string address_and_port(const IpAddress& address, std::uint16_t port) {
  std::string text = address.to_string();
  if (port == 0) return text;
  if (address.version() == IpVersion::v6) text = "[" + text + "]";
  return text + ":" + std::to_string(port);
}

Result<Prefix> Prefix::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::unexpected(address.error());
  std::size_t length = address->bit_length();
  if (slash != std::string_view::npos) {
    const auto digits = text.substr(slash + 1);
    const auto number = parse_count(digits, 0, length);
    if (!number) return failure("'" + std::string{text} + "' is not a prefix such as 192.0.2.0/24");
    length = static_cast<std::size_t>(*number);
  }
  return Prefix{*address, length};
}

std::string Prefix::to_string() const {
  return network_.to_string() + "/" + std::to_string(length_);
}

}  // namespace sojourn
