#pragma once
// TLS records, RFC 8446 section 5.1 and RFC 5246 section 6.2.1: what is readable without keys.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

enum class TlsContent : std::uint8_t {
  change_cipher_spec = 20,
  alert = 21,
  handshake = 22,
  application_data = 23,
};
enum class TlsHandshake : std::uint8_t { client_hello = 1, server_hello = 2 };

struct TlsRecord {
  TlsContent content{};
  std::uint16_t length = 0;  ///< of what follows the header
  /// Of the first message in a record of handshakes; 0 if it was not captured.
  std::uint8_t handshake = 0;
  bool is_one_message = false;  ///< by its own length it fills the record, so it is not encrypted

  bool is(TlsHandshake message) const {
    return content == TlsContent::handshake && handshake == static_cast<std::uint8_t>(message);
  }
};
inline constexpr std::size_t tls_header_size = 5;

/// The record that begins with these bytes, or nullopt.  Other bytes look like a record by chance
/// once in two million times.
inline std::optional<TlsRecord> parse_tls_record(std::span<const std::byte> captured) {
  if (captured.size() < tls_header_size) return std::nullopt;
  const auto type = std::to_integer<std::uint8_t>(captured[0]);
  if (type < 20 || type > 23 || captured[1] != std::byte{3} || captured[2] > std::byte{4})
    return std::nullopt;
  const auto length = load_network<std::uint16_t>(captured.data() + 3);
  // 2^14 of content, and what encryption may add (RFC 5246 section 6.2.3).
  if (length == 0 || length > (1u << 14) + 2048u) return std::nullopt;
  TlsRecord record{static_cast<TlsContent>(type), length};
  if (record.content == TlsContent::handshake && captured.size() >= tls_header_size + 4) {
    const auto message = load_network<std::uint32_t>(captured.data() + tls_header_size);
    record.handshake = static_cast<std::uint8_t>(message >> 24);
    record.is_one_message = (message & 0xff'ffffu) + 4 == length;
  }
  return record;
}

}  // namespace sojourn
