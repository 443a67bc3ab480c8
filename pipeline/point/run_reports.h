#pragma once
// The reports of a point that counts in intervals: counts in, IPFIX messages to a collector out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collector/report/point_report.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/spool.h"
#include "pipeline/point/spool_counters.h"

namespace sojourn {

// The number of records and packets of a count, and how it is written.
inline std::size_t records_in(const MarkCount&) { return 1; }
inline std::size_t records_in(const ReferenceInterval& interval) { return interval.records(); }
inline std::uint64_t packets_in(const MarkCount& count) { return count.packets; }
inline std::uint64_t packets_in(const ReferenceInterval& interval) { return interval.packets(); }
inline void write_counts(ipfix::MessageWriter& writer, const MarkingRun& run,
                         std::span<const MarkCount> counts) {
  writer.marks(run, counts);
}
inline void write_counts(ipfix::MessageWriter& writer, const ReferenceRun& run,
                         std::span<const ReferenceInterval> counts) {
  writer.references(run, counts);
}

/// A report every interval, or every second if intervals are shorter: a collector misses a point
/// that sends none.  It reads no clock.  `left_alone` are packets since the start that are in no
/// count.
template <class Run, class Count>
class RunReports {
 public:
  /// `spool` gets the messages and must outlive this object.
  RunReports(const PointIdentity& point, const Run& run, const ipfix::WriterOptions& writer,
             ipfix::Spool& spool)
      : point_(point),
        run_(run),
        spool_(spool),
        writer_(writer, [this](const ipfix::Message& m) { spool_.append(m); }) {}

  void take(Count count) {
    packets_ += packets_in(count);
    waiting_ += records_in(count);
    counts_.push_back(std::move(count));
  }
  /// True if a report was made.
  bool advance(Timestamp now, std::uint64_t left_alone) {
    // A clock that steps back does not stop the reports.
    if (now < now_) next_report_ = std::min(next_report_, now + every());
    now_ = now;
    // Intervals of a second and more are reported as soon as they are read.
    const bool is_due = now >= next_report_ || waiting_ >= most_waiting ||
                        (!counts_.empty() && run_.length() >= least_between);
    if (!is_due) return false;
    report(now, left_alone);
    return true;
  }
  /// The last intervals, with a goodbye.
  void finish(Timestamp now, std::uint64_t left_alone) {
    run_.ended = true;
    report(now, left_alone);
  }
  /// Makes a report now, even if it has only the counters.  The counters come last, after the
  /// records that they count.
  void report(Timestamp now, std::uint64_t left_alone) {
    const PointCounters told = counters(left_alone);
    writer_.begin(point_, next_number_, now);
    write_counts(writer_, run_, counts_);
    writer_.counters(told);
    writer_.end();
    next_number_ = writer_.next_number();
    counts_.clear();
    waiting_ = 0;
    next_report_ = now + every();
  }

  std::uint64_t packets() const { return packets_; }

 private:
  /// Many flows in short intervals must not make one report that fills the memory.
  static constexpr std::size_t most_waiting = 100'000;
  static constexpr Duration least_between = std::chrono::seconds{1};

  Duration every() const { return std::max(run_.length(), least_between); }

  PointCounters counters(std::uint64_t left_alone) const {
    std::uint64_t packets = 0;
    for (const Count& count : counts_) packets += packets_in(count);
    PointCounters counters;
    counters.packets_selected = packets_;
    counters.packets_not_selected = left_alone;
    counters.packets_seen = packets_ + left_alone;
    put_spool(counters, spool_.counters(), waiting_, packets);
    return counters;
  }

  PointIdentity point_;
  Run run_;
  ipfix::Spool& spool_;
  ipfix::MessageWriter writer_;
  std::vector<Count> counts_;  ///< that the next report sends
  std::size_t waiting_ = 0;    ///< records in these
  Timestamp now_{}, next_report_{};
  std::uint64_t next_number_ = 1;
  std::uint64_t packets_ = 0;  ///< in all counts
};

using ReferenceReports = RunReports<ReferenceRun, ReferenceInterval>;

}  // namespace sojourn
