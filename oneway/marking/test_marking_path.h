#pragma once
// A path with two marking points and a known truth: every packet's fate is recorded.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_point.h"

namespace sojourn::test {

/// What a clock shows.
struct TestClock {
  Duration offset{};
  double drift = 0;  ///< seconds a second
  Timestamp at(Timestamp time) const {
    return time + offset +
           Duration{static_cast<std::int64_t>(drift *
                                              static_cast<double>(to_ns(time.time_since_epoch())))};
  }
};

struct SentPacket {
  Timestamp sent;
  std::optional<Duration> delay;  ///< nullopt: lost
  std::uint32_t flow = 0;
};

struct MarkingScenario {
  MarkingMethod method = MarkingMethod::multiplexed;
  MarkingInterval length;
  TestClock first_clock = {};
  TestClock last_clock = {};
  Duration clock_error{};                ///< as stated to the collector
  std::vector<SentPacket> packets = {};  ///< in the order of sending
  std::uint32_t flows = 1;
  bool early_pulses = false;
};

struct MarkingTruth {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::optional<Duration> pulse_delay;  ///< by both clocks; nullopt: the pulse was lost
};

struct MarkingOutcome {
  PointRecords first, last;
  std::vector<MarkingResult> results;
  std::map<std::pair<std::uint32_t, std::int64_t>, MarkingTruth>
      truth;  ///< by flow and interval of sending
};

/// One event at a time, so that the tables get the same input as the loops.
inline void pass(MarkingPoint& point, MarkingEvent& event, std::vector<MarkingRecord>& records) {
  MarkingRecord closed[1];
  if (point.process({&event, 1}, closed) == 1) records.push_back(closed[0]);
}

inline MarkingOutcome run(const MarkingScenario& scenario,
                          const MarkingTables* tables_of_last = nullptr) {
  MarkingOutcome outcome;
  MarkingPoint first{scenario.method, MarkingRole::initiating, scenario.length, scenario.flows};
  if (scenario.early_pulses) first.send_pulses_early();
  MarkingPoint last{scenario.method,
                    tables_of_last ? *tables_of_last : marking_tables(scenario.method),
                    MarkingRole::observing, scenario.length, scenario.flows};
  struct Arrival {
    Timestamp time;
    MarkingEvent event;
  };
  std::vector<Arrival> arrivals;
  std::map<std::pair<std::uint32_t, std::int64_t>, bool> has_pulse;
  Timestamp end{};
  for (const SentPacket& packet : scenario.packets) {
    const Timestamp local = scenario.first_clock.at(packet.sent);
    MarkingEvent event{local, packet.flow};
    pass(first, event, outcome.first.records);
    const MarkingMoment moment = scenario.length.at(local);
    MarkingTruth& truth = outcome.truth[{packet.flow, moment.interval}];
    ++truth.sent;
    truth.lost += !packet.delay;
    // The pulse by its definition, not by the rules: the first packet of the interval or of its
    // third quarter (with early pulses, of that quarter's first half).
    const bool is_early = !scenario.early_pulses || scenario.method != MarkingMethod::multiplexed ||
                          difference(local, scenario.length.start_of(moment.interval)) <=
                              scenario.length.latest_pulse();
    const bool eligible =
        scenario.method == MarkingMethod::pulse || (moment.quarter() == 2 && is_early);
    const bool is_pulse = measures_delay(scenario.method) && eligible &&
                          !std::exchange(has_pulse[{packet.flow, moment.interval}], true);
    if (is_pulse && packet.delay)
      truth.pulse_delay = difference(scenario.last_clock.at(packet.sent + *packet.delay), local);
    end = std::max(end, packet.sent + packet.delay.value_or(Duration{}));
    if (packet.delay)
      arrivals.push_back(
          {packet.sent + *packet.delay,
           {scenario.last_clock.at(packet.sent + *packet.delay), packet.flow, event.mark}});
  }
  std::ranges::sort(arrivals, {}, &Arrival::time);
  for (Arrival& arrival : arrivals) pass(last, arrival.event, outcome.last.records);
  // Both points are active before the first packet and until all is over.
  outcome.first.span = {scenario.first_clock.at(Timestamp{}),
                        scenario.first_clock.at(end + 4 * scenario.length.length())};
  outcome.last.span = {scenario.last_clock.at(Timestamp{}),
                       scenario.last_clock.at(end + 4 * scenario.length.length())};
  first.read_all(outcome.first.span.until, outcome.first.records);
  last.read_all(outcome.last.span.until, outcome.last.records);
  outcome.results = collect({scenario.method, scenario.clock_error}, outcome.first, outcome.last);
  return outcome;
}

}  // namespace sojourn::test
