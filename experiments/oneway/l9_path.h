#pragma once
// A path between two marking points with every packet's fate known, for experiment l9.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_point.h"

namespace sojourn {

/// What a clock shows beyond the true time.
struct PathClock {
  double offset_ns = 0;
  double drift = 0;  ///< seconds gained a second
};

struct PathTruth {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::optional<std::int64_t> pulse_delay_ns;  ///< by both clocks
};

/// The outcome: given and right, given and wrong, not given.
struct PathScore {
  std::uint64_t intervals = 0;  ///< in which packets were sent
  std::uint64_t losses = 0, delays = 0;
  std::uint64_t loss_error = 0;      ///< packets, the worst
  std::int64_t delay_error_ns = 0;   ///< the worst
  std::uint64_t sent = 0, lost = 0;  ///< over the intervals that gave a loss, as measured
  double delay_sum_ns = 0;
};

/// Marks at the first point, by true time; reads at the last, by `clock`.  One flow.
class MarkedPath {
 public:
  MarkedPath(MarkingMethod method, MarkingInterval length, PathClock clock,
             Duration clock_error = {});

  /// Packets in the order of sending.  Without `delay_ns` the packet is lost.  Arrivals may be
  /// reordered.
  void send(std::int64_t sent_ns, std::optional<std::int64_t> delay_ns);
  void change_interval(MarkingInterval length, Timestamp now);

  /// All results, in order, with the truth beside them.
  const std::vector<MarkingResult>& finish();
  PathScore score() const;
  const PathTruth* truth(const MarkingResult& result) const;

 private:
  struct Arrival {
    std::int64_t time_ns;
    Mark mark;
  };

  Timestamp seen_by_last(std::int64_t true_ns) const;
  void flush_first();
  void arrive(std::size_t count);

  MarkingMethod method_;
  MarkingInterval length_, next_length_;
  Timestamp change_at_ = Timestamp::max();
  PathClock clock_;
  MarkJudgeOptions options_;
  MarkingPoint first_, last_;
  PointRecords one_, other_;
  std::array<MarkingEvent, MarkingPoint::max_batch> events_{};
  std::array<std::int64_t, MarkingPoint::max_batch> arrivals_ns_{};
  std::array<MarkingRecord, MarkingPoint::max_batch> closed_{};
  std::size_t waiting_ = 0;
  std::vector<Arrival> under_way_;  ///< sorted by time before they arrive
  std::int64_t latest_ns_ = 0;
  std::map<std::pair<int, std::int64_t>, PathTruth> truth_;
  PathTruth* current_ = nullptr;
  std::pair<int, std::int64_t> current_key_{};
  bool has_pulse_ = false;
  std::vector<MarkingResult> results_;
};

}  // namespace sojourn
