#pragma once
// Decides when a live point reads which interval, and whether it trusts the counters that it has
// read.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/time.h"
#include "oneway/marking/marking_faults.h"
#include "oneway/marking/marking_record.h"

namespace sojourn {

/// The point's report on one interval.
struct MarkingReport {
  std::int64_t interval = 0;
  Timestamp read_at;
  std::optional<MarkingFault> doubt;   ///< why this point does not trust it
  std::vector<MarkingRecord> records;  ///< of flows that had packets
  std::uint64_t strays = 0;            ///< packets that came after their counters had been read
};

/// Counters are a ring: intervals that are `slots` apart share theirs.  While it is interval c,
/// packets are counted for c - 1, c and c + 1.  Reading an interval that shares its counters with
/// one of these would give a mixture, and take packets away from the other.
///
/// `Counters` is MarkingProgram, or a ring of a test: now(), slots(), take().
class MarkingReader {
 public:
  MarkingReader(MarkingInterval length, Timestamp since)
      : length_(length),
        first_(length.at(since).interval - 1),
        next_(first_),
        last_look_(first_ + 1) {}

  /// Half an interval after its end: late packets have come by then (RFC 9341 section 5).
  Timestamp next_due() const { return length_.start_of(next_ + 1) + length_.length() / 2; }

  /// Intervals that are due.  `clock_was_set`: the current counters are a mixture, whatever the
  /// clock says now.
  template <class Counters>
  std::vector<MarkingReport> advance(Counters& counters, bool link_is_down,
                                     bool clock_was_set = false) {
    const Timestamp now = counters.now();
    const std::int64_t current = length_.at(now).interval;
    // The process was stopped for a whole turn of the ring, or a clock was set.
    if (clock_was_set || next_ > current + 1 || next_ < current - counters.slots())
      begin_anew(counters, current);
    look_at_link(current, link_is_down);
    std::vector<MarkingReport> reports;
    for (; now >= next_due(); ++next_) {
      reports.push_back(read(counters, now));
      // Packets in a slot before its interval comes are late by nearly the whole ring.
      const std::int64_t coming = next_ + 3;
      if (coming > current + 1) reports.back().strays = take_strays(counters, coming, now);
    }
    return reports;
  }

  /// All remaining intervals; the time of reading shows which of them have not ended.
  template <class Counters>
  std::vector<MarkingReport> finish(Counters& counters, bool link_is_down,
                                    bool clock_was_set = false) {
    std::vector<MarkingReport> reports = advance(counters, link_is_down, clock_was_set);
    const Timestamp now = counters.now();
    const std::int64_t end = length_.at(now).interval + 1;
    look_at_link(end, link_is_down);
    for (; next_ <= end; ++next_) reports.push_back(read(counters, now));
    return reports;
  }

 private:
  template <class Counters>
  MarkingReport read(Counters& counters, Timestamp now) {
    MarkingReport report{.interval = next_, .read_at = now, .doubt = {}, .records = {}};
    counters.take(next_, now, report.records);
    // By the current clock: the process may have been stopped since it last looked.
    const std::int64_t current = length_.at(counters.now()).interval;
    distrust_sharers(next_ + counters.slots(), current, counters.slots());
    if (down_.erase(next_) > 0) report.doubt = MarkingFault::link_down;
    const bool is_shared = current - next_ >= counters.slots() - 1;
    if (distrusted_.erase(next_) > 0 || is_shared || was_read_before(next_))
      report.doubt = MarkingFault::not_recorded;
    return report;
  }

  template <class Counters>
  std::uint64_t take_strays(Counters& counters, std::int64_t coming, Timestamp now) {
    std::vector<MarkingRecord> records;
    counters.take(coming, now, records);
    distrust_sharers(coming, length_.at(counters.now()).interval, counters.slots());
    std::uint64_t strays = 0;
    for (const MarkingRecord& record : records) strays += record.packets;
    return strays;
  }

  /// It is unknown to which intervals the counters belong.  All are thrown away, including those of
  /// the current intervals.  Earlier intervals are missing in the reports.
  template <class Counters>
  void begin_anew(Counters& counters, std::int64_t current) {
    constexpr std::size_t most_ranges = 16;
    read_before_.emplace_back(first_, next_);
    if (read_before_.size() > most_ranges) read_before_.pop_front();
    std::vector<MarkingRecord> unknown;
    for (std::int64_t slot = 0; slot < counters.slots(); ++slot)
      counters.take(slot, counters.now(), unknown);
    down_.clear();
    distrusted_.clear();
    first_ = next_ = current - 1;
    last_look_ = current;
    const std::int64_t end = length_.at(counters.now()).interval + 1;
    for (std::int64_t i = next_; i <= std::min(end, next_ + counters.slots()); ++i)
      distrusted_.insert(i);
  }

  /// Packets of the current intervals may have been in the counters that were taken out.
  void distrust_sharers(std::int64_t from, std::int64_t current, std::int64_t slots) {
    if (from <= current + 1) distrusted_.insert(from);
    for (std::int64_t i = std::max(from, current - 1); i <= current + 1; ++i)
      if ((i - from) % slots == 0) distrusted_.insert(i);
  }

  /// A clock was set back: packets are counted for the same interval again.
  bool was_read_before(std::int64_t interval) const {
    return std::ranges::any_of(read_before_, [&](const auto& range) {
      return interval >= range.first && interval < range.second;
    });
  }

  void look_at_link(std::int64_t interval, bool is_down) {
    // Since the last look, or until now.
    if (is_down || was_down_)
      for (std::int64_t i = last_look_; i <= interval; ++i) down_.insert(i);
    was_down_ = is_down;
    last_look_ = interval;
  }

  MarkingInterval length_;
  std::int64_t first_;      ///< that was read, since the clock was set
  std::int64_t next_;       ///< interval to be read
  std::int64_t last_look_;  ///< interval in which the link was last checked
  bool was_down_ = false;
  std::set<std::int64_t> down_;        ///< intervals in which the link was down, not read yet
  std::set<std::int64_t> distrusted_;  ///< intervals that lost packets to others, likewise
  std::deque<std::pair<std::int64_t, std::int64_t>> read_before_;
};

}  // namespace sojourn
