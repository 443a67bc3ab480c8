#pragma once
// The loop of a measurement point: from its packets to its reports.

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
  const KernelPoint* kernel = nullptr;  ///< the same source, if the kernel selects
  /// For an interface: reports continue while no packets come.  Otherwise the packets tell the
  /// time.
  std::function<Timestamp()> clock = {};
};

/// Passes the packets of `feed` to `run` until it is stopped, and makes the last report.
/// `reported` is called after each report except the last.  True if the source ended by itself.
bool feed_point(const PointFeed& feed, PointRun& run, const std::atomic<bool>& stop,
                const GoOn& go_on, const std::function<void()>& reported);

/// A capture is read faster than any network takes it.  So, unlike for an interface, waits while
/// more than half of `bytes` is in the spool and a collector takes it.
void wait_for_room(const ipfix::Spool& spool, std::size_t bytes, const std::atomic<bool>& stop,
                   const std::function<bool()>& connected);

}  // namespace sojourn
