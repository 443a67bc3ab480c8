#pragma once
// Follows the conversation of each TCP connection: how long the server takes to answer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/kind.h"
#include "core/left_out.h"
#include "core/unclear.h"
#include "roundtrip/turns/followed_connections.h"
#include "roundtrip/turns/turn_record.h"
#include "wire/summary.h"

namespace sojourn {

/// A delay that a packet ended.
struct TurnDelay {
  std::uint32_t summary;  ///< which packet of the batch
  Kind kind;
  Leg leg;  ///< server, sum, network or thinking
  Duration delay;
  double weight;
  bool by_client;       ///< the client sent that packet
  bool client_guessed;  ///< who is the client
};

/// Outcome counts of the requests of a kind; see KindCounters.
struct TurnCounters {
  std::uint64_t requests = 0;
  UnclearCounters unclear;
  double estimated_unclear = 0;
  LeftOutCounters left_out;
};

struct TurnOptions {
  KindSet kinds = KindSet::none();
  Duration expire = std::chrono::seconds{10};
  bool keep_unclear = false;
  std::size_t most_bytes = ~std::size_t{0};  ///< for records
  bool by_chance = false;                    ///< see FollowedConnections
  bool has_short_way = true;                 ///< plain_packet.h; the result is the same
};

/// The rules are those of docs/design/pairing.md, "Turns": kind response is the time from the last
/// byte that the client sends in its turn to the first byte that the server then sends; kind tls is
/// the time from ClientHello to ServerHello, and to the first application data.
///
/// A request waits in the record of its connection.  In fixed memory only some connections have
/// one, chosen by the hash of the connection alone; each delay then counts for 1/p.
class TurnTracker {
 public:
  explicit TurnTracker(const TurnOptions& options);

  /// Packets of any kind, in the order of the capture.  The delays are valid until the next call.
  std::span<const TurnDelay> look_at(std::span<const Summary> batch);

  const TurnCounters& counters(Kind kind) const { return kind == Kind::tls ? tls_ : response_; }
  /// The counts since the last call.
  TurnCounters take_counters(Kind kind) {
    return std::exchange(kind == Kind::tls ? tls_ : response_, TurnCounters{});
  }
  bool is_full() const { return connections_.is_full(); }
  std::uint64_t weight() const { return connections_.weight(); }
  std::size_t memory_bytes() const { return connections_.memory_bytes(); }

 private:
  template <bool wants_tls, bool has_short_way>
  void look_at_all(std::span<const Summary> batch);
  void look_at(const Summary& packet, TurnRecord& record, std::uint32_t index);
  static void acknowledge(const Summary& packet, TurnRecord& record);
  void client_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index);
  void server_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index);
  void answered(const Summary& packet, TurnRecord& record, std::uint32_t index);
  void add_answer(const TurnRecord& record, Kind kind, Duration delay, std::uint32_t index);
  void ask(TurnCounters& counters) const;
  void leave_out(TurnCounters& counters, Unclear why) const;
  // tls_turns.cpp
  void tls(const Summary& packet, TurnRecord& record, std::uint32_t index, bool in_order);
  void client_hello(const Summary& packet, TurnRecord& record);
  void server_hello(const Summary& packet, TurnRecord& record, std::uint32_t index);
  void follow_records(const Summary& packet, TurnRecord& record, std::uint32_t index,
                      bool in_order);
  void first_application_data(const Summary& packet, TurnRecord& record, std::uint32_t index,
                              bool by_client);

  TurnOptions options_;
  bool wants_response_, wants_tls_;
  FollowedConnections<TurnRecord> connections_;
  TurnCounters response_, tls_;
  std::vector<TurnDelay> found_;
};

}  // namespace sojourn
