#include "roundtrip/turns/turn_tracker.h"

#include <algorithm>

#include "roundtrip/rules/server_guess.h"
#include "roundtrip/rules/tcp_apply.h"
#include "roundtrip/turns/tls_turns.h"

namespace sojourn {
namespace {

/// Who has more to say sends full segments: what follows a smaller one is another write.  Every
/// path takes 1280 bytes (RFC 8200 section 5), so that full segments have 1200 bytes and more.
constexpr std::uint32_t full_segment = 1200;

/// Follows connections for longer than any of their requests waits.
constexpr Duration usual_idle = std::chrono::minutes{1};

void meet_client(TurnRecord& record, unsigned client) {
  record.client_known = true;
  record.client_guessed = false;
  record.client_is_high = client == 1;
}

/// A SYN opens the connection anew, unless it repeats the one that opened it (TcpRules).
void open(const Summary& packet, TurnRecord& record) {
  const unsigned client = side_of_sender(packet);
  const std::uint32_t first = packet.sequence + 1;
  if (record.next_known[client] && record.next[client] - first < 1u << 16) {
    record.is_timed = false;
    return;
  }
  const std::uint64_t flow = record.flow;
  record = TurnRecord{};
  record.flow = flow;
  record.last_seen = packet.time;
  meet_client(record, client);
  record.next[client] = record.asked_end = first + packet.payload;
  record.next_known[client] = true;
  record.asked_at = packet.time;
  record.is_timed = packet.payload == 0;
}

/// The server's bytes begin; the SYN was timed.
void accept(const Summary& packet, TurnRecord& record) {
  const unsigned server = side_of_sender(packet);
  meet_client(record, 1 - server);
  if (!record.next_known[server]) {
    record.next[server] = packet.sequence + 1;
    record.next_known[server] = true;
  }
}

void mark(TurnRecord& record, Unclear why) {
  if (!record.is_unclear) record.why = why;
  record.is_unclear = true;
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
  for_each_fetched(
      batch, [this](const Summary& packet) { connections_.prefetch(packet.flow); },
      [this](const Summary& packet, std::uint32_t index) {
        if (packet.content == Content::tcp) look_at(packet, index);
      });
  return found_;
}

void TurnTracker::look_at(const Summary& packet, std::uint32_t index) {
  const auto dropped = [this](const TurnRecord& gone) {
    if (wants_response_ && gone.turn == Turn::client) ++response_.left_out[LeftOut::displaced];
    if (gone.stage == TlsStage::client_hello || gone.stage == TlsStage::server_hello)
      ++tls_.left_out[LeftOut::displaced];
  };
  TurnRecord* const found = connections_.at(packet.flow, packet.time, dropped);
  if (!found) return;
  TurnRecord& record = *found;
  record.last_seen = packet.time;
  if (has(packet, tcp_syn | tcp_rst) || packet.first_fragment) [[unlikely]] {
    if (has(packet, tcp_rst)) {
      // What comes now is new: its SYN may even have the same number.
      record.turn = Turn::nobody;
      record.stage = TlsStage::none;
      record.is_timed = record.has_acknowledged = false;
      record.next_known[0] = record.next_known[1] = false;
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
  if (!record.client_known) [[unlikely]] {
    if (!record.client_guessed) record.client_is_high = source_is_server(packet) == (sender == 0);
    record.client_guessed = true;
    if (wants_tls_ && record.stage == TlsStage::none && is_client_hello(packet))
      meet_client(record, sender);
  }
  if (record.client_is_high == (sender == 1)) {
    if (packet.payload > 0) client_speaks(packet, record, index);
  } else {
    if (has(packet, tcp_ack)) acknowledge(packet, record);
    if (packet.payload > 0) server_speaks(packet, record, index);
  }
  if (has(packet, tcp_fin)) {  // it takes a number (RFC 9293 section 3.4)
    const std::uint32_t end = packet.sequence + packet.payload + 1;
    if (!record.next_known[sender] || is_newer(end, record.next[sender])) {
      record.next[sender] = end;
      record.next_known[sender] = true;
    }
  }
}

/// The server has heard; the first time that it has heard all gives a round trip.
void TurnTracker::acknowledge(const Summary& packet, TurnRecord& record) {
  const unsigned client = record.client_is_high ? 1 : 0;
  const std::uint32_t number = packet.acknowledgment;
  if (record.next_known[client] && is_newer(number, record.next[client])) {
    record.is_timed = false;  // of what the capture missed
    if (record.turn == Turn::client) mark(record, Unclear::gap);
  }
  if (record.is_timed && !is_newer(record.asked_end, number)) {
    const Duration round_trip = difference(packet.time, record.asked_at);
    if (round_trip >= Duration{0} && (!record.network_known || round_trip < record.network)) {
      record.network = round_trip;
      record.network_known = true;
    }
    record.is_timed = false;
  }
  if (!record.has_acknowledged || is_newer(number, record.acknowledged)) {
    record.acknowledged = number;
    record.has_acknowledged = true;
  }
}

void TurnTracker::client_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  const unsigned client = side_of_sender(packet), server = 1 - client;
  const std::uint32_t end = packet.sequence + packet.payload;
  const bool known = record.next_known[client];
  const auto ahead = static_cast<std::int32_t>(packet.sequence - record.next[client]);
  if (known && !is_newer(end, record.next[client])) {
    // What the server has is not sent again because of this turn; keep-alives are like that.
    if (record.has_acknowledged && !is_newer(end, record.acknowledged)) return;
    record.is_timed = false;
    if (record.turn == Turn::client) mark(record, Unclear::sent_again);
    mark_tls(record, Unclear::sent_again);
    return;
  }
  if (record.turn != Turn::client) {
    record.turn = Turn::client;
    record.is_unclear = false;
    if (wants_response_) ask(response_);
    if (record.next_known[server] && is_newer(record.next[server], packet.acknowledgment))
      mark(record, Unclear::overlapping);
  } else if (record.ends_in_piece) {
    mark(record, Unclear::several_writes);
  }
  if (known && ahead != 0) mark(record, ahead < 0 ? Unclear::sent_again : Unclear::gap);
  record.ends_in_piece = packet.payload < full_segment;
  record.asked_at = packet.time;
  record.asked_end = end;
  record.is_timed = !known || ahead >= 0;
  record.next[client] = end;
  record.next_known[client] = true;
  if (wants_tls_ && record.stage != TlsStage::over)
    tls(packet, record, index, !known || ahead == 0);
}

void TurnTracker::server_speaks(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  const unsigned server = side_of_sender(packet);
  const std::uint32_t end = packet.sequence + packet.payload;
  const bool known = record.next_known[server];
  const auto ahead = static_cast<std::int32_t>(packet.sequence - record.next[server]);
  if (known && !is_newer(end, record.next[server])) return mark_tls(record, Unclear::sent_again);
  if (record.turn == Turn::client) {
    if (known && ahead != 0) mark(record, ahead < 0 ? Unclear::sent_again : Unclear::gap);
    // What was sent before all of the request had arrived does not answer it.
    if (!has(packet, tcp_ack) || is_newer(record.asked_end, packet.acknowledgment))
      mark(record, Unclear::overlapping);
    else
      answered(packet, record, index);
  } else {
    record.turn = Turn::server;
  }
  record.next[server] = end;
  record.next_known[server] = true;
  if (wants_tls_ && record.stage != TlsStage::over)
    tls(packet, record, index, !known || ahead == 0);
}

void TurnTracker::answered(const Summary& packet, TurnRecord& record, std::uint32_t index) {
  record.turn = Turn::server;
  const Duration delay = difference(packet.time, record.asked_at);
  if (!wants_response_ || delay > options_.expire) return;
  if (record.is_unclear) {
    leave_out(response_, record.why);
    if (!options_.keep_unclear) return;
  }
  add_answer(record, Kind::response, delay, index);
}

/// The delay, and its two parts if the network's is known.
void TurnTracker::add_answer(const TurnRecord& record, Kind kind, Duration delay,
                             std::uint32_t index) {
  TurnDelay found{.summary = index,
                  .kind = kind,
                  .leg = Leg::server,
                  .delay = delay,
                  .weight = static_cast<double>(weight()),
                  .by_client = false,
                  .client_guessed = !record.client_known};
  found_.push_back(found);
  if (!record.network_known) return;
  // A ServerHello before the early data was acknowledged is no round trip to acknowledge(), but
  // it says that the network takes no longer.
  const Duration network = std::min(record.network, delay);
  found.leg = Leg::network;
  found.delay = network;
  found_.push_back(found);
  found.leg = Leg::thinking;
  found.delay = delay - network;
  found_.push_back(found);
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
