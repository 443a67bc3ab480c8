#pragma once
// Which points of marks and references report, and which have fallen silent.

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/report/point_report.h"
#include "core/time.h"
#include "store/ledger.h"

namespace sojourn {

/// A point is in another state now.
struct MarkingNews {
  PointIdentity point;
  MarkingState state = MarkingState::running;
  std::string sentence;  ///< for the log; empty if nobody needs to read it
};

/// From a point's start to its end: a MarkingRun or a ReferenceRun, as far as it is watched.
struct WatchedRun {
  template <class Run>
  explicit WatchedRun(const Run& run)
      : since(run.since), length(run.longest_interval()), ended(run.ended) {}

  Timestamp since;
  Duration length;  ///< of its intervals, at most
  bool ended;
};

/// A marking point reports every interval, or every second if intervals are shorter, and so does a
/// point that observes reference packets.  A point that misses three reports was killed or cannot
/// reach us: its marks have stopped, or we cannot know whether they have.
///
/// If a point was restarted, its newest run counts.  Only time in which we listened counts: if the
/// collector was stopped or its clock was set, no point becomes silent because of that.
class MarkingWatch {
 public:
  static constexpr int reports_missed = 3;
  static constexpr Duration least_between_reports = std::chrono::seconds{1};

  /// How long a point may be silent.
  static Duration patience_with(Duration interval) {
    return reports_missed * std::max(interval, least_between_reports);
  }

  /// An earlier collector knew it as one that reports, or has fallen silent.
  void resume(const PointIdentity& point, Duration interval, MarkingState state);
  std::vector<MarkingNews> heard(const PointIdentity& point, const WatchedRun& run);
  /// To be called often: more than a second between two calls is a second.
  std::vector<MarkingNews> advance(Timestamp now);

 private:
  struct Watched {
    std::uint64_t instance = 0;
    Timestamp since{};  ///< of its run
    Duration patience{};
    Duration heard_at{};  ///< by `listened_`
    MarkingState state = MarkingState::running;
  };

  std::map<std::string, Watched> points_;
  Duration listened_{};
  std::optional<Timestamp> last_;
};

}  // namespace sojourn
