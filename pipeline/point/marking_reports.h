#pragma once
// The reports of a marking point to a collector: intervals in, IPFIX messages out.

#include <cstdint>

#include "oneway/marking/marking_monitor.h"
#include "pipeline/marking/mark_counts.h"
#include "pipeline/marking/marking_reader.h"
#include "pipeline/point/run_reports.h"

namespace sojourn {

struct MarkingReportsOptions {
  PointIdentity point;
  MarkingRun run;
  MarkingSetup setup;
  ipfix::WriterOptions writer = {};
};

/// A report every interval, or every second if intervals are shorter.
class MarkingReports : public RunReports<MarkingRun, MarkCount> {
 public:
  /// `spool` gets the messages and must outlive this object.
  MarkingReports(const MarkingReportsOptions& options, ipfix::Spool& spool)
      : RunReports(options.point, options.run, options.writer, spool), setup_(options.setup) {}

  void take(const MarkingReport& interval) {
    for (MarkCount& count : counts_of(setup_, interval)) RunReports::take(std::move(count));
  }

 private:
  MarkingSetup setup_;
};

}  // namespace sojourn
