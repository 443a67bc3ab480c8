#pragma once
// IPv4 and IPv6 addresses and prefixes as values.

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"

namespace sojourn {

enum class IpVersion : std::uint8_t { v4 = 4, v6 = 6 };

/// An IPv4 or IPv6 address.  Bytes are in network order; IPv4 uses the first four.
class IpAddress {
 public:
  constexpr IpAddress() = default;

  /// From 4 or 16 bytes in network order.
  static IpAddress v4(std::span<const std::byte, 4> bytes);
  static IpAddress v6(std::span<const std::byte, 16> bytes);
  static Result<IpAddress> parse(std::string_view text);

  IpVersion version() const { return version_; }
  std::size_t bit_length() const { return version_ == IpVersion::v4 ? 32 : 128; }
  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), bit_length() / 8}; }
  bool bit(std::size_t index) const { return (bytes_[index / 8] >> (7 - index % 8)) & 1u; }
  void set_bit(std::size_t index, bool value);

  /// The same address with all but the first `length` bits zero.
  IpAddress masked(std::size_t length) const;

  /// 192.0.2.1, or the short form of RFC 5952.
  std::string to_string() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  IpVersion version_ = IpVersion::v4;
  std::array<std::uint8_t, 16> bytes_{};
};

/// "192.0.2.1:53", "[2001:db8::1]:53" (RFC 5952 section 6); without a port (0) the address alone.
std::string address_and_port(const IpAddress& address, std::uint16_t port);

/// A block of addresses: 192.0.2.0/24.  A bare address is the block of itself.
class Prefix {
 public:
  static Result<Prefix> parse(std::string_view text);

  Prefix(IpAddress address, std::size_t length)
      : network_(address.masked(length)), length_(length) {}

  bool contains(const IpAddress& address) const {
    return address.version() == network_.version() && address.masked(length_) == network_;
  }
  const IpAddress& network() const { return network_; }
  std::size_t length() const { return length_; }
  std::string to_string() const;

  friend auto operator<=>(const Prefix&, const Prefix&) = default;

 private:
  IpAddress network_;
  std::size_t length_;
};

/// Is the address in one of the blocks?
inline bool is_inside(const IpAddress& address, std::span<const Prefix> blocks) {
  return std::ranges::any_of(blocks, [&](const Prefix& block) { return block.contains(address); });
}

}  // namespace sojourn
