#pragma once
// What is remembered of the conversation between the two ends of a connection.

#include <cstdint>
#include <type_traits>

#include "core/time.h"
#include "core/unclear.h"

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

/// One cache line for the turns, one for TLS, which few packets ask for.
struct alignas(64) TurnRecord {
  std::uint64_t flow;
  Timestamp last_seen;
  Timestamp asked_at;          ///< when the last new byte of the client, or its SYN, passed
  Duration network;            ///< the smallest round trip to the server, if it is known
  std::uint32_t asked_end;     ///< the sequence number after that byte
  std::uint32_t next[2];       ///< after the last byte of each end; 0 is the lower in Summary::flow
  std::uint32_t acknowledged;  ///< by the server, the highest
  bool next_known[2];
  bool has_acknowledged, network_known;
  bool client_known, client_guessed, client_is_high;
  bool is_timed;       ///< the first acknowledgment of `asked_end` gives a round trip
  bool ends_in_piece;  ///< the request so far ends in a segment that was not full
  Turn turn;
  bool is_unclear;
  Unclear why;  ///< the first reason, if it is

  alignas(64) Timestamp hello_at;  ///< when the last byte of the ClientHello passed
  std::uint32_t hello_end;
  std::uint32_t record[2];  ///< where the next TLS record of each end begins
  bool record_known[2];
  TlsStage stage;
  bool client_went_on;  ///< after the ServerHello, with something else than another ClientHello
  bool tls_is_unclear;
  Unclear tls_why;
};
static_assert(sizeof(TurnRecord) == 128 && std::is_trivially_copyable_v<TurnRecord>);

}  // namespace sojourn
