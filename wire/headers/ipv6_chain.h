#pragma once
// The chain of IPv6 extension headers, RFC 8200 section 4: each says what follows it.

#include <cstddef>
#include <optional>
#include <span>

#include "wire/headers/ipv6.h"

namespace sojourn {

/// Any of hop-by-hop, routing and destination options, and mobility: skipped by their length alone.
constexpr bool is_plain_extension(IpProtocol protocol) {
  return protocol == IpProtocol::hop_by_hop || protocol == IpProtocol::routing ||
         protocol == IpProtocol::destination_options || protocol == IpProtocol::mobility;
}
/// Whether it announces an extension header; no_next counts too, since no transport follows it.
constexpr bool has_extensions(IpProtocol protocol) {
  return is_plain_extension(protocol) || protocol == IpProtocol::fragment ||
         protocol == IpProtocol::no_next;
}

/// Stands at one header of the chain, first at the one that the IPv6 header announces.  The caller
/// decides which headers to pass: for some callers a header ends the search, for others not.
class Ipv6Chain {
 public:
  /// Real packets have fewer.  The limit also keeps the payload's offset within 16 bits.
  static constexpr int longest = 12;

  /// `ip` holds the captured bytes, at least the IPv6 header.
  explicit Ipv6Chain(std::span<const std::byte> ip)
      : ip_(ip), number_(reinterpret_cast<const Ipv6Header*>(ip.data())->next_header) {}

  IpProtocol number() const { return number_; }               ///< of the current header
  std::size_t offset() const { return offset_; }              ///< from `ip` to it
  std::size_t announced_at() const { return announced_at_; }  ///< from `ip` to its number
  bool is_first() const { return passed_ == 0; }
  bool too_long() const { return passed_ == longest; }

  /// Length of the current options or authentication header; nullopt if the capture ends before its
  /// length field.
  std::optional<std::size_t> length() const {
    if (ip_.size() < offset_ + sizeof(Ipv6Extension)) return std::nullopt;
    const auto* header = reinterpret_cast<const Ipv6Extension*>(ip_.data() + offset_);
    return number_ == IpProtocol::authentication ? header->authentication_length()
                                                 : header->length();
  }
  /// Whether all of that was captured.
  bool holds(std::size_t length) const { return ip_.size() >= offset_ + length; }

  /// On to the next header; this one's first byte must have been captured.
  void pass(std::size_t length) {
    number_ = static_cast<IpProtocol>(ip_[offset_]);
    announced_at_ = offset_;
    offset_ += length;
    ++passed_;
  }

 private:
  std::span<const std::byte> ip_;
  IpProtocol number_;
  std::size_t offset_ = sizeof(Ipv6Header);
  std::size_t announced_at_ = offsetof(Ipv6Header, next_header);
  int passed_ = 0;
};

}  // namespace sojourn
