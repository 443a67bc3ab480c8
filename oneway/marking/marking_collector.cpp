#include "oneway/marking/marking_collector.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "oneway/marking/marking_live_doubts.h"
#include "oneway/marking/marking_pairing.h"

namespace sojourn {
namespace {

using enum MarkingFault;

/// The mean and deviation of the last delays; few, so that it follows a drifting clock.
class RecentDelays {
 public:
  void add(Duration delay) {
    delays_[count_++ % delays_.size()] = static_cast<double>(to_ns(delay));
  }
  /// |D_avg| + 3 D_stddev, if any is known.
  std::optional<Duration> reach() const {
    const std::size_t known = std::min(count_, delays_.size());
    if (known == 0) return std::nullopt;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < known; ++i) sum += delays_[i];
    const double mean = sum / static_cast<double>(known);
    for (std::size_t i = 0; i < known; ++i) squares += (delays_[i] - mean) * (delays_[i] - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(known));
    return Duration{static_cast<std::int64_t>(std::abs(mean) + 3 * deviation)};
  }

 private:
  std::array<double, 8> delays_{};
  std::size_t count_ = 0;
};

/// Half an interval, or a quarter if the quarter determines the meaning of a mark.
Duration room_of(const MarkJudgeOptions& options, const MarkingRecord* first,
                 const MarkingRecord* last) {
  Duration shorter = Duration::max();
  for (const MarkingRecord* record : {first, last})
    if (record) shorter = std::min(shorter, record->judged_by.length());
  return options.method == MarkingMethod::multiplexed ? shorter / 4 : shorter / 2;
}

/// A spread of half an interval is indistinguishable from clocks half an interval apart.
bool contradicts_itself(const MarkingRecord& record) {
  return record.late + record.early >= record.judged_by.length() / 2;
}

/// Intervals in which the points' clocks were found to be wrong.
class ClockTraces {
 public:
  void add(const MarkingResult& result) {
    found_.emplace_back(result.length.exponent(), result.interval);
  }

  /// Clocks belong to points, not to flows, and do not jump back.  So all flows share the verdict,
  /// and so do the intervals around, where a flow may have had too few packets to show it.
  void spread(std::vector<MarkingResult>& results) {
    constexpr std::int64_t around = 2;
    std::ranges::sort(found_);
    for (MarkingResult& result : results) {
      const int exponent = result.length.exponent();
      const auto near =
          std::ranges::lower_bound(found_, std::pair{exponent, result.interval - around});
      if (near != found_.end() && near->first == exponent &&
          near->second <= result.interval + around)
        result.add(unsynchronised);
    }
  }

 private:
  std::vector<std::pair<int, std::int64_t>> found_;
};

/// Within an interval, packets of the other colour are late ones of the interval before or early
/// ones of the next, whichever is nearer.  If both occur far from the edges, the clocks are
/// probably half an interval apart, and neither count is right.
void find_what_is_far_from_the_edges(std::span<const MarkingResult> results, ClockTraces& traces) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const MarkingResult& before = results[i];
    if (before.strays) traces.add(before);
    const Duration half = before.length.length() / 2;
    if (before.late + before.early >= half) traces.add(before);
    for (std::size_t j = i + 1; j < std::min(i + 3, results.size()); ++j) {
      const MarkingResult& after = results[j];
      const bool two_later = before.flow == after.flow && before.length == after.length &&
                             before.interval + 2 == after.interval;
      if (two_later && before.late + after.early >= half) traces.add(before);
    }
  }
}

struct Ends {
  const PointRecords& first;
  const PointRecords& last;
};

MarkingResult judge(const MarkJudgeOptions& options, const Ends& points, const RecordPair& pair,
                    RecentDelays& recent) {
  const MarkingRecord* const first = pair.first;
  const MarkingRecord* const last = pair.last;
  const MarkingRecord& any = first ? *first : *last;
  MarkingResult result{.flow = any.flow, .length = any.length, .interval = any.interval};
  MarkingFaults& faults = result.faults;
  if (first) result.sent = first->packets;
  if (last) {
    result.received = last->packets;
    // A duplicate at the first point was sent twice; a duplicate only here was made on the path.
    result.copies = last->repeats - std::min(last->repeats, first ? first->repeats : 0);
    result.late = last->late;
    result.early = last->early;
  }

  std::optional<Duration> delay;
  if (measures_delay(options.method)) {
    const std::uint32_t sent = first ? first->pulses : 0, seen = last ? last->pulses : 0;
    if (sent > 0) result.pulse_time = first->pulse_time;
    faults.add(no_pulse, sent == 0);
    const bool several = options.method == MarkingMethod::double_;  // RFC 9341 section 4.2
    faults.add(lost_pulse, sent > 0 && (several ? seen < sent : seen == 0));
    faults.add(double_pulse, several ? sent > 0 && seen > sent : sent > 1 || seen > 1);
    if (sent == seen && sent > 0 && (several || sent == 1))
      delay = difference(last->pulse_time, first->pulse_time);
  }
  if (delay) recent.add(*delay);

  Duration outside{};  // how far packets were seen outside their interval
  for (const MarkingRecord* record : {first, last})
    if (record) {
      outside = std::max({outside, record->late, record->early});
      faults.add(unsynchronised, contradicts_itself(*record));
    }
  // A pulse without its partner: one of the two is another packet, and the counts may be wrong too.
  faults.add(unsynchronised, options.method == MarkingMethod::multiplexed &&
                                 (faults.has(double_pulse) ||
                                  (first && last && first->pulses == 0 && last->pulses > 0)));
  const Duration room = room_of(options, first, last);
  result.guard = options.clock_error + std::max(recent.reach().value_or(Duration{}), outside);
  // The observed extent is too small by the gap between packets: a sixteenth is kept in reserve.
  result.strays = outside >= room - room / 16;
  faults.add(guard_band, result.strays || result.guard >= room);

  if (measures_loss(options.method)) {
    const Timestamp start = any.start(), end = any.end();
    const Timestamp first_read = first ? first->read_at : points.first.span.until;
    const Timestamp last_read = last ? last->read_at : points.last.span.until;
    faults.add(began_late,
               points.first.span.since > start || points.last.span.since > start - result.guard);
    faults.add(read_too_early, first_read < end || last_read < end + result.guard);
    const std::uint64_t arrived = result.received - result.copies;
    faults.add(more_out_than_in, arrived > result.sent);
    if (!faults.spoil_loss()) result.lost = result.sent - arrived;
  } else {
    // A single pulse, and whether another pulse could be its partner.
    const Duration around = any.length.length() / 2;
    faults.add(began_late, points.last.span.since > result.pulse_time - around);
    faults.add(read_too_early, points.last.span.until < result.pulse_time + around);
  }
  if (!faults.spoil_delay()) result.delay = delay;
  return result;
}

/// The intervals between two rows of a flow, in which it sent nothing.
void add_idle(std::vector<MarkingResult>& results, const MarkingResult& next) {
  if (results.empty() || results.back().flow != next.flow || results.back().length != next.length)
    return;
  const std::int64_t from = results.back().interval + 1;
  if (next.interval <= from) return;
  MarkingResult idle_row{.flow = next.flow,
                         .length = next.length,
                         .interval = from,
                         .intervals = next.interval - from};
  idle_row.faults.add(idle);
  results.push_back(idle_row);
}

bool follows(const MarkingResult& one, const MarkingResult& next) {
  return one.flow == next.flow && one.length == next.length &&
         one.interval + one.intervals == next.interval;
}

/// Multiplexed: an apparent second pulse may be a packet of a neighbour interval that missed its
/// count there.
void find_double_pulses(std::span<const MarkingResult> results, ClockTraces& traces) {
  for (const MarkingResult& result : results)
    if (result.faults.has(double_pulse)) traces.add(result);
}

/// Multiplexed: a pulse that comes too late, in the last quarter, looks like an early packet of the
/// next interval.  One that comes too early looks like a late packet of the interval before, where
/// the next interval's packets are early as well.  So a pulse may count as lost only if no packet
/// of the next interval was early: otherwise one packet may have been counted for a neighbour.
void doubt_lost_pulses(std::vector<MarkingResult>& results) {
  for (std::size_t i = 0; i + 1 < results.size(); ++i) {
    MarkingResult &one = results[i], &next = results[i + 1];
    if (!one.faults.has(lost_pulse) || !follows(one, next) || next.early == Duration{}) continue;
    one.add(unsynchronised);
    next.add(unsynchronised);
    if (i > 0 && follows(results[i - 1], one) && results[i - 1].late > Duration{})
      results[i - 1].add(unsynchronised);
  }
}

/// Points that use different lengths at the same time: one has not learned of a change yet.
void doubt_overlapping_intervals(std::vector<MarkingResult>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Timestamp end = results[i].length.start_of(results[i].interval + results[i].intervals);
    for (std::size_t j = i + 1;
         j < results.size() && results[j].flow == results[i].flow && results[j].start() < end;
         ++j) {
      results[i].add(unsynchronised);
      results[j].add(unsynchronised);
    }
  }
}

}  // namespace

std::vector<MarkingResult> collect(const MarkJudgeOptions& options, const PointRecords& first,
                                   const PointRecords& last) {
  const auto counted = [&](const PointRecords& point) {
    auto records = merged_by_interval(point.records, options.method);
    std::erase_if(records, [](const MarkingRecord& record) { return record.packets == 0; });
    return records;
  };
  const auto one = counted(first), other = counted(last);
  const auto pairs =
      measures_loss(options.method) ? pair_by_interval(one, other) : pair_by_pulse(one, other);
  std::vector<MarkingResult> results;
  results.reserve(pairs.size());
  RecentDelays recent;
  for (const RecordPair& pair : pairs) {
    if (results.empty() || results.back().flow != pair.flow() ||
        results.back().length != pair.length())
      recent = {};
    MarkingResult result = judge(options, {first, last}, pair, recent);
    if (pair.ambiguous) result.add(double_pulse);
    add_idle(results, result);
    results.push_back(result);
  }
  const LiveDoubts doubts{options.method, first, last};
  for (MarkingResult& result : results) doubts.add_to(result);
  ClockTraces traces;
  find_what_is_far_from_the_edges(results, traces);
  const bool multiplexed = options.method == MarkingMethod::multiplexed;
  if (multiplexed) find_double_pulses(results, traces);
  traces.spread(results);
  if (multiplexed) doubt_lost_pulses(results);
  if (measures_loss(options.method)) doubt_overlapping_intervals(results);
  return results;
}

}  // namespace sojourn
