#pragma once
// The state of the conversation between the two ends of a connection.

#include <cstdint>
#include <type_traits>

#include "core/time.h"
#include "core/unclear.h"
#include "roundtrip/rules/coarse_time.h"

namespace sojourn {

/// Who spoke last.
enum class Turn : std::uint8_t {
  nobody,
  client,  ///< a request is on its way
  server,  ///< it was answered, or the server spoke first
};

/// How far a TLS handshake has come.
enum class TlsStage : std::uint8_t {
  none,          ///< no ClientHello yet
  client_hello,  ///< one has passed, perhaps not all of it
  server_hello,
  over,
};

/// Small fields, in four bytes that are read and written at once (plain_packet.h).
struct TurnState {
  bool client_is_high : 1;  ///< lowest: it is the client's side
  bool client_guessed : 1;
  bool client_known : 1;
  bool has_acknowledged : 1;
  bool network_known : 1;
  bool is_timed : 1;            ///< the first acknowledgment of `asked_end` gives a round trip
  std::uint8_t next_known : 2;  ///< bit per side

  Turn turn : 2;
  bool ends_in_piece : 1;  ///< the request so far ends in a segment that was not full
  bool is_unclear : 1;
  Unclear why : 3;    ///< the first reason, if it is unclear
  bool no_bit_1 : 1;  ///< so that all bits are defined

  TlsStage stage : 2;
  bool client_went_on : 1;  ///< after the ServerHello, other than with another ClientHello
  bool tls_is_unclear : 1;
  Unclear tls_why : 3;
  bool no_bit_2 : 1;

  std::uint8_t record_known : 2;  ///< bit per side
  std::uint8_t no_bits_3 : 6;
};
static_assert(sizeof(TurnState) == 4);

/// One cache line.
struct alignas(64) TurnRecord {
  std::uint64_t flow;
  Timestamp asked_at;          ///< when the last new byte of the client, or its SYN, passed
  Duration network;            ///< the smallest round trip to the server, if it is known
  Timestamp hello_at;          ///< when the last byte of the ClientHello passed
  std::uint32_t asked_end;     ///< the sequence number after the byte of `asked_at`
  std::uint32_t next[2];       ///< after the last byte of each end; 0 is the lower in Summary::flow
  std::uint32_t acknowledged;  ///< by the server, the highest
  std::uint32_t hello_end;
  CoarseTime last_seen;
  std::uint16_t record[2];  ///< how far behind `next` the next TLS record of each end begins
  TurnState state;

  bool knows_next(unsigned side) const { return (state.next_known >> side & 1u) != 0; }
  void set_next(unsigned side, std::uint32_t number) {
    next[side] = number;
    state.next_known = static_cast<std::uint8_t>((state.next_known | 1u << side) & 3u);
  }
  /// Where the next TLS record of this side begins, after the data it has sent.
  bool knows_record(unsigned side) const { return (state.record_known >> side & 1u) != 0; }
  void forget_record(unsigned side) {
    state.record_known = static_cast<std::uint8_t>(state.record_known & ~(1u << side) & 3u);
  }
  void set_record(unsigned side, std::uint32_t behind_next) {
    record[side] = static_cast<std::uint16_t>(behind_next);
    state.record_known = static_cast<std::uint8_t>((state.record_known | 1u << side) & 3u);
  }
};
static_assert(sizeof(TurnRecord) == 64 && std::is_trivially_copyable_v<TurnRecord>);

}  // namespace sojourn
