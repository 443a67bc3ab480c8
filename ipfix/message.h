#pragma once
// The frame of IPFIX: messages, sets, and the limits that a stranger's templates must keep.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace sojourn::ipfix {

inline constexpr std::uint16_t version = 10;
inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t set_header_bytes = 4;
inline constexpr std::size_t most_message_bytes = 65'535;
/// A datagram that no path of Ethernet has to cut: 1500 less IPv6 and UDP headers, and some for
/// tunnels (RFC 7011 section 10.3.3).
inline constexpr std::size_t datagram_bytes = 1'400;

inline constexpr std::uint16_t template_set = 2;
inline constexpr std::uint16_t options_template_set = 3;
inline constexpr std::uint16_t first_data_set = 256;
inline constexpr std::uint16_t variable_length = 65'535;
inline constexpr std::uint16_t enterprise_bit = 0x8000;

/// RFC 7011 section 3.1.
struct MessageHeader {
  std::uint16_t length = 0;
  std::uint32_t export_time = 0;  ///< seconds since 1970
  std::uint32_t sequence = 0;     ///< data records sent before this message, modulo 2^32
  std::uint32_t domain = 0;
};

/// A big-endian unsigned integer.
template <class Unsigned>
Unsigned load(const std::byte* from) {
  Unsigned value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::endian::native == std::endian::little && sizeof value > 1)
    value = std::byteswap(value);
  return value;
}

template <class Unsigned>
void store(std::byte* to, Unsigned value) {
  if constexpr (std::endian::native == std::endian::little && sizeof value > 1)
    value = std::byteswap(value);
  std::memcpy(to, &value, sizeof value);
}

/// What a peer may make us remember.  The bound on memory is `fields`; the others keep one domain
/// or one template from taking all of it.
struct Limits {
  std::size_t domains = 64;  ///< of one session
  std::size_t templates_per_domain = 128;
  std::size_t fields_per_template = 256;
  std::size_t fields = 8'192;  ///< of all templates of a session
};

}  // namespace sojourn::ipfix
