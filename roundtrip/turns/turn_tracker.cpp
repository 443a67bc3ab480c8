#include "roundtrip/turns/turn_tracker.h"

#include <algorithm>

#include "roundtrip/rules/server_guess.h"
#include "roundtrip/rules/tcp_apply.h"
#include "roundtrip/turns/plain_packet.h"
#include "roundtrip/turns/tls_turns.h"

namespace sojourn {
namespace {

/// Follows connections for longer than any of their requests waits.
constexpr Duration usual_idle = std::chrono::minutes{1};

void meet_client(TurnRecord& record, unsigned client) {
  record.state.client_known = true;
  record.state.client_guessed = false;
  record.state.client_is_high = client == 1;
}

/// A SYN opens the connection anew, unless it repeats the one that opened it (TcpRules).
void open(const Summary& packet, TurnRecord& record) {
  const unsigned client = side_of_sender(packet);
  const std::uint32_t first = packet.sequence + 1;
  if (record.knows_next(client) && record.next[client] - first < 1u << 16) {
    record.state.is_timed = false;
    return;
  }
  const std::uint64_t flow = record.flow;
  record = TurnRecord{};
  record.flow = flow;
  record.last_seen = packet.time;
  meet_client(record, client);
  record.asked_end = first + packet.payload;
  record.set_next(client, record.asked_end);
  record.asked_at = packet.time;
  record.state.is_timed = packet.payload == 0;
}

/// The server's bytes begin; the SYN was timed.
void accept(const Summary& packet, TurnRecord& record) {
  const unsigned server = side_of_sender(packet);
  meet_client(record, 1 - server);
  if (!record.knows_next(server)) record.set_next(server, packet.sequence + 1);
}

void mark(TurnRecord& record, Unclear why) {
  if (!record.state.is_unclear) record.state.why = why;
  record.state.is_unclear = true;
}

}  // namespace

TurnTracker::TurnTracker(const TurnOptions& options)
    : options_(options),
      wants_response_(options.kinds.has(Kind::response)),
      wants_tls_(options.kinds.has(Kind::tls)),
      connections_({.most_bytes = options.most_bytes,
                    .by_chance = options.by_chance,
                    .idle = std::max(usual_idle, options.expire)}) {}

std::span<const TurnDelay> TurnTracker::look_at(std::span<const Summary> batch) {
  found_.clear();
  if (!options_.has_short_way)
    look_at_all<true, false>(batch);
  else if (wants_tls_)
    look_at_all<true, true>(batch);
  else
    look_at_all<false, true>(batch);
  return found_;
}

template <bool wants_tls, bool has_short_way>
void TurnTracker::look_at_all(std::span<const Summary> batch) {
  const auto dropped = [this](const TurnRecord& gone) {
    if (wants_response_ && gone.state.turn == Turn::client)
      ++response_.left_out[LeftOut::displaced];
    if (gone.state.stage == TlsStage::client_hello || gone.state.stage == TlsStage::server_hello)
      ++tls_.left_out[LeftOut::displaced];
  };
  for_each_fetched(
      batch, [this](const Summary& packet) { connections_.prefetch(packet.flow); },
      [&](const Summary& packet, std::uint32_t index) {
        if (packet.content != Content::tcp) return;
        TurnRecord* const record = connections_.at(packet.flow, packet.time, dropped);
        if (!record) return;
        record->last_seen = packet.time;
        if constexpr (!has_short_way) return look_at(packet, *record, index);
        switch (take_plain<wants_tls>(packet, *record)) {
          case Plain::no:
            return look_at(packet, *record, index);
          case Plain::asks:
            if (wants_response_) ask(response_);
            return;
          case Plain::answers:
            return answered(packet, *record, index);
          case Plain::nothing:
            return;
        }
      });
}

/// The long way.
[[gnu::noinline]] void TurnTracker::look_at(const Summary& packet, TurnRecord& record,
                                            std::uint32_t index) {
  if (has(packet, tcp_syn | tcp_rst) || packet.first_fragment) [[unlikely]] {
    if (has(packet, tcp_rst)) {
      // What comes now is new: its SYN may even have the same number.
      record.state.turn = Turn::nobody;
      record.state.stage = TlsStage::none;
      record.state.is_timed = record.state.has_acknowledged = false;
      record.state.next_known = 0;
    } else if (packet.first_fragment) {
      mark(record, Unclear::gap);
    } else if (has(packet, tcp_ack)) {
      accept(packet, record);
      acknowledge(packet, record);
    } else {
      open(packet, record);
    }
    return;
  }
  const unsigned sender = side_of_sender(packet);
  if (!record.state.client_known) [[unlikely]] {
    if (!record.state.client_guessed)
      record.state.client_is_high = source_is_server(packet) == (sender == 0);
    record.state.client_guessed = true;
    if (wants_tls_ && record.state.stage == TlsStage::none && is_client_hello(packet))
      meet_client(record, sender);
  }
  if (record.state.client_is_high == (sender == 1)) {
    if (packet.payload > 0) client_speaks(packet, record, index);
  } else {
    if (has(packet, tcp_ack)) acknowledge(packet, record);
    if (packet.payload > 0) server_speaks(packet, record, index);
  }
  if (has(packet, tcp_fin)) {  // it takes a number (RFC 9293 section 3.4)
    const std::uint32_t end = packet.sequence + packet.payload + 1;
    if (!record.knows_next(sender) || is_newer(end, record.next[sender]))
      record.set_next(sender, end);
  }
}

/// The server has heard; the first time that it has heard all gives a round trip.
void TurnTracker::acknowledge(const Summary& packet, TurnRecord& record) {
  const unsigned client = record.state.client_is_high ? 1 : 0;
  const std::uint32_t number = packet.acknowledgment;
  if (record.knows_next(client) && is_newer(number, record.next[client])) {
    record.state.is_timed = false;  // of what the capture missed
    if (record.state.turn == Turn::client) mark(record, Unclear::gap);
  }
  if (record.state.is_timed && !is_newer(record.asked_end, number)) {
    const Duration round_trip = difference(packet.time, record.asked_at);
    if (round_trip >= Duration{0} && (!record.state.network_known || round_trip < record.network)) {
      record.network = round_trip;
      record.state.network_known = true;
    }
    record.state.is_timed = false;
  }
  if (!record.state.has_acknowledged || is_newer(number, record.acknowledged)) {
    record.acknowledged = number;
    record.state.has_acknowledged = true;
  }
}

void TurnTracker::client_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  const unsigned client = side_of_sender(packet), server = 1 - client;
  const std::uint32_t end = packet.sequence + packet.payload;
  const bool known = record.knows_next(client);
  const auto ahead = static_cast<std::int32_t>(packet.sequence - record.next[client]);
  if (known && !is_newer(end, record.next[client])) {
    // What the server has is not sent again because of this turn; keep-alives are like that.
    if (record.state.has_acknowledged && !is_newer(end, record.acknowledged)) return;
    record.state.is_timed = false;
    if (record.state.turn == Turn::client) mark(record, Unclear::sent_again);
    mark_tls(record, Unclear::sent_again);
    return;
  }
  if (record.state.turn != Turn::client) {
    record.state.turn = Turn::client;
    record.state.is_unclear = false;
    if (wants_response_) ask(response_);
    if (record.knows_next(server) && is_newer(record.next[server], packet.acknowledgment))
      mark(record, Unclear::overlapping);
  } else if (record.state.ends_in_piece) {
    mark(record, Unclear::several_writes);
  }
  if (known && ahead != 0) mark(record, ahead < 0 ? Unclear::sent_again : Unclear::gap);
  record.state.ends_in_piece = packet.payload < full_segment;
  record.asked_at = packet.time;
  record.asked_end = end;
  record.state.is_timed = !known || ahead >= 0;
  record.set_next(client, end);
  if (wants_tls_ && record.state.stage != TlsStage::over)
    tls(packet, record, index, !known || ahead == 0);
}

void TurnTracker::server_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  const unsigned server = side_of_sender(packet);
  const std::uint32_t end = packet.sequence + packet.payload;
  const bool known = record.knows_next(server);
  const auto ahead = static_cast<std::int32_t>(packet.sequence - record.next[server]);
  if (known && !is_newer(end, record.next[server])) return mark_tls(record, Unclear::sent_again);
  if (record.state.turn == Turn::client) {
    if (known && ahead != 0) mark(record, ahead < 0 ? Unclear::sent_again : Unclear::gap);
    // What was sent before all of the request had arrived does not answer it.
    if (!has(packet, tcp_ack) || is_newer(record.asked_end, packet.acknowledgment))
      mark(record, Unclear::overlapping);
    else
      answered(packet, record, index);
  } else {
    record.state.turn = Turn::server;
  }
  record.set_next(server, end);
  if (wants_tls_ && record.state.stage != TlsStage::over)
    tls(packet, record, index, !known || ahead == 0);
}

void TurnTracker::answered(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  record.state.turn = Turn::server;
  const Duration delay = difference(packet.time, record.asked_at);
  if (!wants_response_ || delay > options_.expire) return;
  if (record.state.is_unclear) {
    leave_out(response_, record.state.why);
    if (!options_.keep_unclear) return;
  }
  add_answer(record, Kind::response, delay, index);
}

/// The delay, and its two parts if the network's is known.
void TurnTracker::add_answer(const TurnRecord& record, Kind kind, Duration delay,
                             std::uint32_t index) {
  // Member by member: copies of a struct just written wait for its bytes (a twentieth of a run).
  const auto add = [&](Leg leg, Duration part) {
    TurnDelay& found = found_.emplace_back();
    found.summary = index;
    found.kind = kind;
    found.leg = leg;
    found.delay = part;
    found.weight = static_cast<double>(weight());
    found.by_client = false;
    found.client_guessed = !record.state.client_known;
  };
  add(Leg::server, delay);
  if (!record.state.network_known) return;
  // A ServerHello before the early data was acknowledged is no round trip to acknowledge(), but
  // it says that the network takes no longer.
  const Duration network = std::min(record.network, delay);
  add(Leg::network, network);
  add(Leg::thinking, delay - network);
}

/// It stands for as many as its connection does; those that are not followed are left out.
void TurnTracker::ask(TurnCounters& counters) const {
  counters.requests += weight();
  counters.left_out[LeftOut::by_chance] += weight() - 1;
}

void TurnTracker::leave_out(TurnCounters& counters, Unclear why) const {
  ++counters.unclear[why];
  counters.estimated_unclear += static_cast<double>(weight());
}

}  // namespace sojourn
