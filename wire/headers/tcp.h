#pragma once
// TCP, RFC 9293 section 3.1, and its timestamps option, RFC 7323 section 3.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/headers/endian.h"

namespace sojourn {

struct TcpHeader {
  Be16 source_port{};
  Be16 destination_port{};
  Be32 sequence{};
  Be32 acknowledgment{};
  std::uint8_t data_offset = 5u << 4;  // upper four bits, in 32-bit words
  std::uint8_t flags = 0;              // TcpFlag
  Be16 window{};
  Be16 checksum{};
  Be16 urgent_pointer{};

  std::size_t length() const { return (data_offset >> 4) * 4u; }
};
static_assert(sizeof(TcpHeader) == 20 && WireStruct<TcpHeader>);

struct TcpTimestamps {
  Be32 value{};
  Be32 echo{};
};

/// The layout that RFC 7323 appendix A recommends and nearly every segment has: NOP, NOP,
/// timestamps.
struct TcpAlignedTimestamps {
  Be32 lead = tcp_aligned_lead;
  TcpTimestamps timestamps{};

  static constexpr std::uint32_t tcp_aligned_lead = 0x0101080a;
};
static_assert(sizeof(TcpAlignedTimestamps) == 12 && WireStruct<TcpAlignedTimestamps>);

/// Walks the options that were captured.  A malformed option ends the walk, as in any receiver.
inline std::optional<TcpTimestamps> find_tcp_timestamps(std::span<const std::byte> options) {
  constexpr std::byte end{0}, no_operation{1}, timestamps{8};
  std::size_t at = 0;
  while (at < options.size()) {
    if (options[at] == end) break;
    if (options[at] == no_operation) {
      ++at;
      continue;
    }
    if (options.size() - at < 2) break;
    const auto length = std::to_integer<std::size_t>(options[at + 1]);
    if (length < 2 || length > options.size() - at) break;
    if (options[at] == timestamps && length == 10)
      return TcpTimestamps{load_network<std::uint32_t>(&options[at + 2]),
                           load_network<std::uint32_t>(&options[at + 6])};
    at += length;
  }
  return std::nullopt;
}

}  // namespace sojourn
