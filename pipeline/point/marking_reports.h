#pragma once
// What a marking point counted, on its way to a collector: intervals in, IPFIX messages out.

#include <cstdint>
#include <vector>

#include "collector/report/point_report.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/spool.h"
#include "oneway/marking/marking_monitor.h"
#include "pipeline/marking/marking_reader.h"
#include "store/marks/mark_count.h"

namespace sojourn {

struct MarkingReportsOptions {
  PointIdentity point;
  MarkingRun run;
  MarkingSetup setup;
  ipfix::WriterOptions writer = {};
};

/// A report every interval, or every second if intervals are shorter: a collector misses a point
/// that sends none.  It reads no clock.
class MarkingReports {
 public:
  /// `spool` takes the messages and must outlive this.
  MarkingReports(const MarkingReportsOptions& options, ipfix::Spool& spool);

  void take(const MarkingReport& interval);
  /// It is `now`, and so many packets were left alone since the start.  True if a report was made.
  bool advance(Timestamp now, std::uint64_t left_alone);
  /// The last intervals, with a goodbye.
  void finish(Timestamp now, std::uint64_t left_alone);
  /// Makes a report now, if only of the counters.
  void report(Timestamp now, std::uint64_t left_alone);

  std::uint64_t packets() const { return packets_; }

 private:
  PointCounters counters(std::uint64_t left_alone) const;

  MarkingReportsOptions options_;
  ipfix::Spool& spool_;
  ipfix::MessageWriter writer_;
  std::vector<MarkCount> counts_;  ///< that the next report sends
  Timestamp now_{}, next_report_{};
  std::uint64_t next_number_ = 1;
  std::uint64_t packets_ = 0;  ///< in all counts
};

}  // namespace sojourn
