#include "oneway/marking/marking_point.h"

#include <algorithm>
#include <cassert>

#include "core/prefetch.h"

namespace sojourn {
namespace {

constexpr std::int64_t fractions = 512;  // of an interval, for lateness

}  // namespace

MarkingPoint::MarkingPoint(MarkingMethod method, const MarkingTables& tables, MarkingRole role,
                           MarkingInterval length, std::size_t flows)
    : tables_(&tables),
      method_(method),
      role_(role),
      regimes_{Regime{length}, Regime{length}},
      flows_(flows) {}

Timestamp MarkingPoint::change_interval(MarkingInterval length, Timestamp now,
                                        std::vector<MarkingRecord>& out) {
  if (change_at_ != Timestamp::max()) {
    assert(now >= change_at_);
    for (std::uint32_t number = 0; number < flows_.size(); ++number)
      for (ColourCounter& counter : flows_[number].counters) {
        if (counter.regime == 0 && counter.packets > 0) {
          out.push_back(record_of(number, counter, now));
          counter.packets = 0;
        }
        counter.regime = 0;
      }
    regimes_[0] = {.length = regimes_[1].length};
  }
  const MarkingInterval longer =
      regimes_[0].length.exponent() > length.exponent() ? regimes_[0].length : length;
  const std::int64_t pairs = longer.at(now).interval >> 1;
  change_at_ = longer.start_of((pairs + 1) * 2);
  regimes_[0].last = regimes_[0].length.at(change_at_).interval - 1;
  regimes_[1] = {.length = length, .first = length.at(change_at_).interval};
  return change_at_;
}

MarkingInterval MarkingPoint::judged_by(const ColourCounter& counter) const {
  const Regime& regime = regimes_[counter.regime];
  const bool at_change = change_at_ != Timestamp::max() &&
                         counter.interval == (counter.regime == 0 ? regime.last : regime.first);
  if (!at_change) return regime.length;
  return MarkingInterval{std::min(regimes_[0].length.exponent(), regimes_[1].length.exponent())};
}

MarkingPoint::Place MarkingPoint::nearest_of_colour(const MarkingMoment& moment, unsigned regime,
                                                    unsigned colour) const {
  std::int64_t interval = moment.interval;
  if (colour != moment.colour()) interval += moment.quarter() < 2 ? -1 : 1;
  if (interval > regimes_[regime].last) return {regimes_[1].first, 1};
  if (interval < regimes_[regime].first) return {regimes_[0].last, 0};
  return {interval, regime};
}

void MarkingPoint::note_distance(ColourCounter& counter, const MarkingMoment& moment,
                                 unsigned regime, Timestamp time) const {
  const MarkingInterval length = regimes_[regime].length;
  const bool is_late = moment.quarter() < 2;
  const Duration distance = is_late ? difference(time, length.start_of(moment.interval))
                                    : difference(length.start_of(moment.interval + 1), time);
  const std::int64_t whole = to_ns(judged_by(counter).length());
  const std::int64_t parts = std::min<std::int64_t>(to_ns(distance) * fractions / whole + 1, 255);
  if (is_late && parts > counter.late) counter.late = static_cast<std::uint8_t>(parts);
  if (!is_late && parts > counter.early) counter.early = static_cast<std::uint8_t>(parts);
}

bool MarkingPoint::is_too_late(Timestamp time, const MarkingMoment& moment, unsigned regime) const {
  const MarkingInterval length = regimes_[regime].length;
  return early_pulses_ &&
         difference(time, length.start_of(moment.interval)) > length.latest_pulse();
}

Timestamp MarkingPoint::mean_pulse(const ColourCounter& counter) const {
  if (counter.pulses == 0) return {};
  return regimes_[counter.regime].length.start_of(counter.interval) +
         Duration{counter.pulse_sum_ns / counter.pulses};
}

MarkingRecord MarkingPoint::record_of(std::uint32_t flow, const ColourCounter& counter,
                                      Timestamp now) const {
  const MarkingInterval judge = judged_by(counter);
  const auto distance = [&](std::int64_t parts) {
    if (parts == 255) parts = fractions / 2;  // or more: the counter is saturated
    return Duration{parts * to_ns(judge.length()) / fractions};
  };
  return {
      .flow = flow,
      .length = regimes_[counter.regime].length,
      .judged_by = judge,
      .interval = counter.interval,
      .packets = counter.packets,
      .pulses = static_cast<std::uint32_t>(counter.pulses),
      .pulse_time = mean_pulse(counter),
      .repeats =
          flows_[flow].repeats[static_cast<std::size_t>(&counter - flows_[flow].counters.data())],
      .late = distance(counter.late),
      .early = distance(counter.early),
      .read_at = now};
}

/// `counts`: by colour.  Pulse marking has no colour; there each pulse begins its own record.
template <MarkingRole role, bool counts>
std::size_t MarkingPoint::run(std::span<MarkingEvent> batch, MarkingRecord* closed) {
  const MarkingRecord* const begin = closed;
  for (MarkingEvent& event : batch) {
    if (event.flow == MarkingEvent::no_flow) continue;
    assert(event.flow < flows_.size());
    const unsigned regime = event.time >= change_at_;
    const MarkingMoment moment = regimes_[regime].length.at(event.time);
    FlowState& flow = flows_[event.flow];

    // The first lookup gives the action, the same for all flows; the second is `flow` above.
    Place place{moment.interval, regime};
    unsigned colour = moment.colour();
    bool timestamp = false;
    if constexpr (role == MarkingRole::observing) {
      const ObservingAction& action = tables_->observe(moment.time_bits, event.mark);
      timestamp = action.timestamp;
      if constexpr (counts) {
        colour = action.counter == Counter::one;
        place = nearest_of_colour(moment, regime, colour);
      }
    }
    ColourCounter& counter = flow.counters[counts ? colour : 0];
    const bool next_pulse = !counts && role == MarkingRole::observing && timestamp;
    if ((counter.interval != place.interval) | (counter.regime != place.regime) |
        (counter.packets == 0) | next_pulse) [[unlikely]] {
      if (counter.packets > 0) *closed++ = record_of(event.flow, counter, event.time);
      counter = {.interval = place.interval,
                 .pulse_sum_ns = 0,
                 .packets = 0,
                 .regime = place.regime & 1u,
                 .pulses = 0,
                 .late = 0,
                 .early = 0};
      flow.reg = tables_->awaiting[moment.colour()];
      flow.repeats[counts ? colour : 0] = 0;
    }
    if constexpr (role == MarkingRole::initiating) {
      const InitiatingAction* action = &tables_->initiate(moment.time_bits, flow.reg);
      if (action->timestamp && is_too_late(event.time, moment, regime)) [[unlikely]]
        action = &tables_->initiate(moment.time_bits, flow.reg ^ 1u);  // as if it had been sent
      event.mark = action->mark;
      flow.reg = action->reg;
      timestamp = action->timestamp;
    }
    ++counter.packets;
    if (timestamp && counter.pulses < 255) [[unlikely]] {
      counter.pulse_sum_ns +=
          to_ns(difference(event.time, regimes_[counter.regime].length.start_of(counter.interval)));
      ++counter.pulses;
    }
    if (event.repeats) [[unlikely]] {
      std::uint16_t& repeats = flow.repeats[counts ? colour : 0];
      if (repeats < 0xffff) ++repeats;
    }
    if (counts && role == MarkingRole::observing && colour != moment.colour()) [[unlikely]]
      note_distance(counter, moment, regime, event.time);
  }
  return static_cast<std::size_t>(closed - begin);
}

std::size_t MarkingPoint::process(std::span<MarkingEvent> batch, std::span<MarkingRecord> closed) {
  assert(closed.size() >= batch.size());
  for (const MarkingEvent& event : batch) {
    span_.extend(event.time);
    if (event.flow != MarkingEvent::no_flow) prefetch_to_write(&flows_[event.flow]);
  }
  const bool counts = measures_loss(method_);
  if (role_ == MarkingRole::initiating)
    return counts ? run<MarkingRole::initiating, true>(batch, closed.data())
                  : run<MarkingRole::initiating, false>(batch, closed.data());
  return counts ? run<MarkingRole::observing, true>(batch, closed.data())
                : run<MarkingRole::observing, false>(batch, closed.data());
}

void MarkingPoint::read_all(Timestamp now, std::vector<MarkingRecord>& out) {
  for (std::uint32_t number = 0; number < flows_.size(); ++number)
    for (ColourCounter& counter : flows_[number].counters) {
      if (counter.packets == 0) continue;
      out.push_back(record_of(number, counter, now));
      counter.packets = 0;
    }
}

}  // namespace sojourn
