#pragma once
// DNS messages, RFC 1035 section 4, over UDP and in a TCP stream.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

inline constexpr std::uint16_t dns_port = 53;

struct DnsHeader {
  Be16 identifier{};
  Be16 flags{};  // response (1 bit), opcode (4), AA, TC, RD, RA, Z (3), response code (4)
  Be16 questions{};
  Be16 answers{};
  Be16 authorities{};
  Be16 additionals{};

  bool is_response() const { return (flags & 0x8000u) != 0; }
  std::uint8_t opcode() const { return static_cast<std::uint8_t>(flags >> 11 & 0xfu); }
};
static_assert(sizeof(DnsHeader) == 12 && WireStruct<DnsHeader>);

/// One query or response.
///
/// `token` is equal for a query and its response: the identifier in the low 16 bits, above it a
/// hash of opcode and first question (case-insensitive name, type, class).  The hash is 0 if there
/// is no question or the capture cuts it off.
struct DnsMessage {
  bool response = false;
  std::uint64_t token = 0;
  std::uint32_t size = 0;  ///< bytes on the wire, without TCP's length prefix
};

/// nullopt if the header is incomplete or the opcode unassigned (RFC 6895: 3 and above 6).  Updates
/// and notifications are requests with a response like any other.
std::optional<DnsMessage> parse_dns_message(std::span<const std::byte> captured);

/// Where in a TCP stream the next message starts (RFC 1035 section 4.2.2: each has a two-byte
/// length in front), as an offset from the start of the current segment's payload.
///
/// Many senders put the length into its own segment, so the position also remembers a length (or
/// half of one) already read.  A new connection starts at DnsStreamPosition{}.
struct DnsStreamPosition {
  enum class Next : std::uint8_t { length, second_half_of_length, message };

  std::uint32_t offset = 0;
  std::uint16_t length = 0;  ///< of the message ahead, if `next` is not `length`
  Next next = Next::length;

  /// The same place seen from the following segment.
  DnsStreamPosition after(std::uint32_t payload) const { return {offset - payload, length, next}; }
};

/// Calls `found(const DnsMessage&)` for each message whose header lies in this segment.
///
/// `captured` holds the captured payload bytes, `payload` is their number on the wire.  Returns
/// where the next message starts, which may be far beyond this segment.  Returns nullopt if a
/// length prefix was not captured: then message boundaries are unknown for the rest of the
/// connection.
template <class Found>
std::optional<DnsStreamPosition> walk_dns_stream(std::span<const std::byte> captured,
                                                 std::uint32_t payload, DnsStreamPosition position,
                                                 Found&& found) {
  using Next = DnsStreamPosition::Next;
  if (captured.size() > payload) captured = captured.first(payload);
  while (position.offset < payload) {
    if (position.next != Next::message) {
      if (position.offset >= captured.size()) return std::nullopt;
      const auto byte = std::to_integer<std::uint16_t>(captured[position.offset++]);
      const bool second = position.next == Next::second_half_of_length;
      position.length = static_cast<std::uint16_t>(second ? position.length | byte : byte << 8);
      position.next = second ? Next::message : Next::second_half_of_length;
      continue;
    }
    if (position.offset < captured.size()) {
      const auto rest = captured.subspan(position.offset);
      const auto part = rest.first(rest.size() < position.length ? rest.size() : position.length);
      if (auto message = parse_dns_message(part)) {
        message->size = position.length;
        found(*message);
      }
    }
    position = {position.offset + position.length, 0, Next::length};
  }
  return position;
}

}  // namespace sojourn
