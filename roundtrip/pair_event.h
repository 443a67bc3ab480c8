#pragma once
// The result of the pairing rules for a packet: requests and responses.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/flow_tag.h"
#include "core/kind.h"
#include "core/time.h"

namespace sojourn {

/// How a table treats a request, as bits.
enum RequestFlag : std::uint8_t {
  /// If it is seen again while it waits, it is unknown which copy the response answers (Karn &
  /// Partridge 1987): its match is marked ambiguous.  Without this bit the first copy counts.
  repeat_is_ambiguous = 1,
  /// Waits up to the lifetime of a connection instead of that of a packet.
  long_lived = 2,
  /// Half of a span that is also requested as a whole (Leg::sum), and counted there.
  half_of_span = 4,
  /// A copy of a request that passed before, perhaps so long ago that it no longer waits.  It can
  /// make the first one ambiguous, but is no request itself.  Otherwise Karn's rule would not hold
  /// after `--expire`, nor for requests that a fixed-memory table refused.
  is_copy = 8,
};

/// What else is known about a response, as bits.
enum ResponseFlag : std::uint8_t {
  /// It closes a span opened by its own sender: the ACK that ends a handshake, a spin-bit edge.
  sent_by_requester = 1,
  /// The end that opened the span is the server of the connection.
  requester_is_server = 2,
  /// The server, and so the leg, was guessed: the capture lacks the SYN.
  leg_is_guessed = 4,
};

/// One request or response, ready for a table.
struct PairEvent {
  std::uint64_t key;  ///< keyed hash of flow, direction, kind and token: see pair_key()
  Timestamp time;
  std::uint16_t summary;  ///< index of its Summary in the batch
  FlowTag flow;           ///< of a response: whose sample it may become; of a request: any
  Kind kind;
  Leg leg;  ///< for a response: the leg that its delay covers
  bool is_request;
  std::uint8_t flags;  ///< RequestFlag or ResponseFlag bits

  static constexpr std::size_t most_summaries = std::size_t{1} << 16;  ///< of a batch

  /// The last four members as one word.
  static constexpr std::uint32_t last_word(Kind kind, Leg leg, bool is_request,
                                           std::uint8_t flags) {
    return static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(leg) << 8 |
           static_cast<std::uint32_t>(is_request) << 16 | std::uint32_t{flags} << 24;
  }
  void set_last(std::uint32_t word) {
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(reinterpret_cast<std::byte*>(this) + offsetof(PairEvent, kind), &word, sizeof word);
  }
};
static_assert(sizeof(PairEvent) == 24);

/// What a table gets for a request: its flags, and above them its kind, so that a table that
/// overwrites can count displaced requests by kind.
constexpr std::uint8_t told_flags(const PairEvent& request) {
  static_assert(paired_kind_count <= 8 && half_of_span < 1 << 4);
  return static_cast<std::uint8_t>(request.flags | index_of(request.kind) << 4);
}
constexpr Kind kind_told(std::uint8_t flags) { return static_cast<Kind>(flags >> 4); }

}  // namespace sojourn
