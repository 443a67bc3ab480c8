#pragma once
// Reports on their way from the thread that measures to the one that stores.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "collector/report/point_report.h"

namespace sojourn {

/// Memory is bounded: if the store does not keep up, or cannot be written to, the oldest reports
/// go and are counted.
class ReportQueue {
 public:
  explicit ReportQueue(std::size_t most_reports = 720) : most_reports_(most_reports) {}

  void put(PointReport report) {
    const std::lock_guard lock{mutex_};
    if (reports_.size() >= most_reports_) {
      ++thrown_away_;
      reports_.pop_front();
    }
    reports_.push_back(std::move(report));
  }
  /// All that wait, the oldest first.
  std::deque<PointReport> take() {
    const std::lock_guard lock{mutex_};
    return std::exchange(reports_, {});
  }
  std::uint64_t thrown_away() const {
    const std::lock_guard lock{mutex_};
    return thrown_away_;
  }

 private:
  const std::size_t most_reports_;
  mutable std::mutex mutex_;
  std::deque<PointReport> reports_;
  std::uint64_t thrown_away_ = 0;
};

}  // namespace sojourn
