#pragma once
// The loop of a measurement point: from where packets come to the reports.

#include <atomic>
#include <cstddef>
#include <functional>

#include "capture/source.h"
#include "core/time.h"
#include "ipfix/transport/spool.h"
#include "pipeline/live_loop.h"
#include "pipeline/point/kernel_point.h"
#include "pipeline/point/point_run.h"

namespace sojourn {

/// What a point measures.
struct PointFeed {
  Source& source;
  const KernelPoint* kernel = nullptr;  ///< the same, if the kernel selects
  /// Of an interface: reports go on where no packets come.  Without it packets bring the time.
  std::function<Timestamp()> clock = {};
};

/// Gives the packets of `feed` to `run` until it is stopped, and makes the last report.  `reported`
/// is called after each report but the last.  True if the source ended by itself.
bool feed_point(const PointFeed& feed, PointRun& run, const std::atomic<bool>& stop,
                const GoOn& go_on, const std::function<void()>& reported);

/// A capture is read faster than any network takes it: waits, as nobody can for an interface, while
/// more than half of `bytes` is in the spool and a collector takes it.
void wait_for_room(const ipfix::Spool& spool, std::size_t bytes, const std::atomic<bool>& stop,
                   const std::function<bool()>& connected);

}  // namespace sojourn
