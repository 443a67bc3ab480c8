#pragma once
// The traffic of experiment l9: each run sends packets over a marked path and returns the outcome.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/oneway/l9_path.h"
#include "experiments/report/experiment.h"

namespace sojourn {

inline constexpr std::int64_t l9_origin_ns = 1'700'000'000'000'000'000;

/// An interval as reported by the collector, beside the truth.
struct CongestedInterval {
  double start_s = 0;
  std::uint64_t sent = 0;
  std::optional<std::uint64_t> lost, true_lost;
  std::optional<std::int64_t> delay_ns, true_delay_ns;
  std::string faults;
};
struct CongestionRun {
  double interval_s = 0;
  std::vector<CongestedInterval> intervals;
  PathScore score;
};

/// MARKING section 4.1: 9.7 Gbit/s of 64-byte packets, and packets of 64 to 1518 bytes every
/// `gap_ns`, into a link of 10 Gbit/s with a queue of 300 us.  Bits are those of the frames.
CongestionRun congestion(const LabSetting& setting, double gap_ns);

/// 512-byte packets at `load` of the link's rate into a queue of `queue_ns`.
PathScore overload(const LabSetting& setting, double load, std::int64_t queue_ns);

/// Steady traffic of 400 packets an interval, with a delay of up to 2 % of an interval and a loss
/// of one in fifty.
struct Steady {
  MarkingMethod method = MarkingMethod::multiplexed;
  PathClock clock = {};
  Duration clock_error = {};
  double most_delay = 0.02;  ///< in intervals; each packet draws its own, so they overtake
  double on = 1;             ///< share of intervals in which the flow sends
  int intervals = 24;
  std::optional<MarkingInterval> change_to = {};
};
inline constexpr double steady_ns = 250e6;  ///< its interval

struct SteadyRun {
  PathScore score;
  std::uint64_t idle = 0;  ///< intervals without a packet
};
SteadyRun steady(const LabSetting& setting, const Steady& how);

}  // namespace sojourn
