#pragma once
// What the pairing rules say about a packet: it asks, or it answers.

#include <cstdint>

#include "core/kind.h"
#include "core/time.h"

namespace sojourn {

/// How a table treats a request, as bits.
enum RequestFlag : std::uint8_t {
  /// Seen again while it waits, nobody knows which copy the response answers (Karn & Partridge
  /// 1987): its match is marked ambiguous.  Without this bit the first copy counts.
  repeat_is_ambiguous = 1,
  /// Waits as long as a connection may live rather than as long as a packet may travel.
  long_lived = 2,
  /// Half of a span that is asked for as a whole too (Leg::sum), and counted there.
  half_of_span = 4,
  /// A copy of a request that passed before, perhaps so long ago that it waits no more: it can make
  /// that one ambiguous, but is no request itself.  Else Karn's rule would end with `--expire`, and
  /// with every request that a table of fixed memory turned away.
  is_copy = 8,
};

/// What else is known of a response, as bits.
enum ResponseFlag : std::uint8_t {
  /// It closes a span that its own sender opened: the ACK that ends a handshake, a spin-bit edge.
  sent_by_requester = 1,
  /// Whoever opened the span is the server of the connection.
  requester_is_server = 2,
  /// Which end is the server, and so the leg, was guessed: the capture lacks the SYN.
  leg_is_guessed = 4,
};

/// One request or response, ready for a table.
struct PairEvent {
  std::uint64_t key;  ///< keyed hash of flow, direction, kind and token: see pair_key()
  Timestamp time;
  std::uint32_t summary;  ///< which Summary of the batch it comes from
  Kind kind;
  Leg leg;  ///< of a response: which leg its delay covers
  bool is_request;
  std::uint8_t flags;  ///< RequestFlag or ResponseFlag bits
};
static_assert(sizeof(PairEvent) == 24);

/// What a table is told of a request: its flags, and above them its kind, by which a table that
/// overwrites counts whom it has displaced.
constexpr std::uint8_t told_flags(const PairEvent& request) {
  static_assert(paired_kind_count <= 8 && half_of_span < 1 << 4);
  return static_cast<std::uint8_t>(request.flags | index_of(request.kind) << 4);
}
constexpr Kind kind_told(std::uint8_t flags) { return static_cast<Kind>(flags >> 4); }

}  // namespace sojourn
