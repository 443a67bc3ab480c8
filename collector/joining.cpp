// Which records belong together: those of one flow at two points that share a label.

#include <algorithm>
#include <array>

#include "collector/collector.h"

namespace sojourn {
namespace {

/// A flow with more records than this at once is an attack or a defective point: the remaining
/// records are ignored and find no partner.
constexpr std::size_t most_looked_at = 512;
constexpr std::size_t most_candidates = 65'536;

struct End {
  std::uint32_t label;
  Timestamp time;
  bool counts;
};

std::array<End, 2> ends_of(const WaitingRecord& waiting) {
  const FlowRecord& record = waiting.record;
  return {{{record.first_label, record.first, waiting.first_counts},
           {record.last_label, record.last, waiting.last_counts}}};
}

bool within(Timestamp a, Timestamp b, Duration window) {
  const Duration apart = difference(a, b);
  return apart <= window && apart >= -window;
}

bool share_a_label(const WaitingRecord& a, const WaitingRecord& b, Duration window) {
  for (const End& mine : ends_of(a))
    for (const End& theirs : ends_of(b))
      if (mine.counts && theirs.counts && mine.label == theirs.label &&
          within(mine.time, theirs.time, window))
        return true;
  return false;
}

}  // namespace

void Collector::take_record(const FlowRecord& record, std::uint32_t instance, std::uint64_t flow,
                            Timestamp now) {
  auto& accounts = instances_[instance].ledger.accounts;
  if (waiting_.full()) expire_oldest(now, Leaving::no_room);
  Place& place = network_.places[instances_[instance].place];
  Instance& from = instances_[instance];
  if (from.begin == Timestamp{} ||
      (now - from.ledger.first_heard < options_.warm_up && record.first < from.begin))
    from.begin = place.begin = record.first;

  WaitingRecord fresh;
  fresh.record = record;
  fresh.flow = flow;
  fresh.arrived = now;
  fresh.instance = instance;
  fresh.place = from.place;
  fresh.selection = place.selection_number;
  // A flow whose packets are all alike cannot be told apart by labels.
  const bool alike = record.packets > 1 && record.first_label == record.last_label;
  fresh.first_counts = !alike;
  fresh.last_counts = record.packets > 1 && !alike;
  fresh.late = place.lateness(difference(now, record.last), now) > options_.wait / 2;

  std::array<std::uint64_t, 64> partners;
  std::size_t partner_count = 0;
  bool repeated = false;
  waiting_.for_each(flow, most_looked_at, [&](std::uint64_t number, WaitingRecord& other) {
    if (other.record.key != record.key) return true;
    if (other.place == fresh.place) {
      if (other.record == record) {
        repeated = true;
        return false;
      }
      // A label that this point has met before may be either packet's.
      for (const End& end : ends_of(other)) {
        if (!within(end.time, record.last, options_.window + (record.last - record.first)))
          continue;
        if (end.label == record.first_label) fresh.first_counts = false;
        if (end.label == record.last_label) fresh.last_counts = false;
      }
      return true;
    }
    if (fresh.selection == 0 || other.selection != fresh.selection) {
      fresh.met_other_selection = other.met_other_selection = true;
      return true;
    }
    if (partner_count < partners.size()) partners[partner_count++] = number;
    return true;
  });
  if (repeated) {
    ++accounts[Account::repeated];
    return;
  }
  if (fresh.selection == 0) fresh.met_other_selection = true;
  ++accounts[Account::waiting];
  const std::uint64_t number = waiting_.add(fresh);
  for (std::size_t i = 0; i < partner_count; ++i) meet(number, partners[i], now);
}

/// Two records of one flow at two points.
void Collector::meet(std::uint64_t a, std::uint64_t b, Timestamp now) {
  WaitingRecord& one = waiting_.at(a);
  WaitingRecord& other = waiting_.at(b);
  Pair& pair = network_.pair_of(one.place, other.place);
  if (!pair.allowed) return;
  if (share_a_label(one, other, options_.window)) {
    if (pair.ready) return join(pair, a, b, now);
    if (pair.candidates.empty()) pair.first_met = now;
    pair.candidates.emplace_back(a, b);
    const WaitingRecord& x = one.place == pair.x ? one : other;
    const WaitingRecord& y = one.place == pair.x ? other : one;
    for (const End& sent : ends_of(x))
      for (const End& received : ends_of(y))
        if (sent.counts && received.counts && sent.label == received.label &&
            within(sent.time, received.time, options_.window))
          take_reading(pair, x.record.key, sent.time,
                       difference_ns(to_ns(received.time), to_ns(sent.time)));
    if (pair.clock.bounded() || pair.candidates.size() >= most_candidates) make_ready(pair, now);
    return;
  }
  // All packets that both have in common lie inside: the same flow, as its prefix shows which way.
  if (one.record.first > other.record.last + options_.window ||
      other.record.first > one.record.last + options_.window)
    return;
  if (const auto segment = likely_segment(pair, one.record.key))
    for (WaitingRecord* record : {&one, &other}) record->note(*segment);
}

/// By where the flow goes, or else by where it comes from.
std::optional<std::uint32_t> Collector::likely_segment(const Pair& pair, const FlowKey& key) const {
  const std::uint64_t to = lead_of(key.destination), from = lead_of(key.source);
  const auto leads = [&](const std::optional<std::uint32_t>& segment, std::uint64_t lead) {
    return segment && network_.segments[*segment].leads.contains(lead);
  };
  for (const bool forward : {true, false}) {
    const auto& there = forward ? pair.forward : pair.backward;
    const auto& back = forward ? pair.backward : pair.forward;
    if (leads(there, to) && !leads(back, to)) return there;
    if (there && leads(back, from) && !leads(there, from)) return there;
  }
  return std::nullopt;
}

/// Two hosts that talk are each other's counterpart, by whatever ports.
void Collector::take_reading(Pair& pair, const FlowKey& key, Timestamp sent, std::int64_t ns) {
  const FlowKey hosts{key.source, key.destination, 0, 0, 0};
  pair.clock.reading(hash_of(hash_key_, hosts), hash_of(hash_key_, hosts.reversed()), sent, ns);
}

void Collector::make_ready(Pair& pair, Timestamp now) {
  pair.ready = true;
  const auto candidates = std::exchange(pair.candidates, {});
  for (const auto& [a, b] : candidates)
    if (waiting_.contains(a) && waiting_.contains(b)) join(pair, a, b, now);
}

void Collector::mark_joined(WaitingRecord& record) {
  if (std::exchange(record.joined, true)) return;
  auto& accounts = ledger_of(record).accounts;
  --accounts[Account::waiting];
  ++accounts[Account::joined];
  instances_[record.instance].changed = true;
}

void Collector::join(Pair& pair, std::uint64_t a, std::uint64_t b, Timestamp now) {
  WaitingRecord& x = waiting_.at(waiting_.at(a).place == pair.x ? a : b);
  WaitingRecord& y = waiting_.at(waiting_.at(a).place == pair.x ? b : a);
  const auto x_ends = ends_of(x), y_ends = ends_of(y);
  // [first, last] of x, against [first, last] of y
  std::array<std::array<bool, 2>, 2> same{};
  std::optional<bool> forward;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      if (same[i][0] || (i == 1 && same[0][j])) continue;  // each end once
      if (!x_ends[i].counts || !y_ends[j].counts || x_ends[i].label != y_ends[j].label ||
          !within(x_ends[i].time, y_ends[j].time, options_.window))
        continue;
      same[i][j] = true;
      const std::int64_t ns = difference_ns(to_ns(y_ends[j].time), to_ns(x_ends[i].time));
      take_reading(pair, x.record.key, x_ends[i].time, ns);
      if (!forward) forward = pair.clock.forward(ns);
      const std::uint32_t number = network_.segment_of(pair, *forward);
      Segment& segment = network_.segments[number];
      const FlowRecord& sender = *forward ? x.record : y.record;
      const std::int64_t delay = *forward ? ns : -ns;
      // A record's packets are thought to be like its two ends.
      const double weight = sender.packets > 1 ? static_cast<double>(sender.packets) / 2 : 1;
      cells_.add(series_of(segment.subject, *forward ? x_ends[i].time : y_ends[j].time,
                           Measure::oneway, sender.key.destination),
                 LogBuckets::index_of(delay), FlowTag::of(x.flow), weight);
      for (WaitingRecord* record : {&x, &y})
        if (auto* on = record->note(number)) {
          on->joined = true;
          on->delay_us = static_cast<std::int32_t>(delay / 1000);
        }
      note_lead(segment, sender.key.destination, now);
    }
  if (!forward) return;
  mark_joined(x);
  mark_joined(y);

  // Both ends are the same packets: the records cover the same, and the difference is lost.
  const bool single = x.record.packets == 1 && y.record.packets == 1;
  const std::uint32_t number = network_.segment_of(pair, *forward);
  auto* const at_x = x.note(number);
  auto* const at_y = y.note(number);
  const bool whole = same[0][0] && (single || same[1][1]);
  if (!whole || !at_x || !at_y || at_x->settled || at_y->settled) return;
  at_x->settled = at_y->settled = true;
  const Segment& segment = network_.segments[number];
  const WaitingRecord& sender = *forward ? x : y;
  if (began_before_points(x, segment) || began_before_points(y, segment)) return;
  book(segment, sender, sender.record.last, LossBin::sent);
  book(segment, *forward ? y : x, sender.record.last, LossBin::arrived);
}

}  // namespace sojourn
