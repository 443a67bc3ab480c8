#pragma once
// Which share of the requests enters the table in the kernel, decided by the past alone.

#include <cstdint>
#include <deque>
#include <optional>

#include "core/time.h"
#include "dataplane/dataplane_options.h"
#include "roundtrip/tables/request_rate.h"

namespace sojourn {

/// Tunes the entry probability p, so that the slowest fridge lives for as many requests as come in
/// the longest delay of interest, and so that no more samples come than somebody wants to read.
///
/// p follows counts of the past: given those, each coin is as fair as with a fixed p, and each
/// request remembers the p that let it in.  So the weights stay exact while p changes
/// (docs/design/fridges.md).
///
/// A response is looked up if its coin may have let its request in: below the largest p of the
/// last `expire`, not below the p of now.
class KernelPlan {
 public:
  struct Options {
    Duration longest = std::chrono::seconds{10};
    std::optional<double> entry_probability = {};  ///< fixed
    std::optional<double> most_samples = {};       ///< a second
  };
  KernelPlan(const dp_config& config, const Options& options);

  /// Given the counters so far; now and then, some times a second.
  void update(std::uint64_t arrivals, std::uint64_t samples, Timestamp now, dp_control& control);

  double entry_probability() const { return probability_; }

 private:
  double for_the_longest() const;
  double for_the_reader() const;
  void enter(double probability, Timestamp now, dp_control& control);

  Options options_;
  Duration expire_;
  double slowest_life_;  ///< in requests, at p = 1
  double probability_ = 1;
  double level_ = 0;  ///< p = 2^(-level/2), in steps
  RequestRate requests_;
  RequestRate samples_;
  std::uint64_t arrivals_seen_ = 0, samples_seen_ = 0;
  std::optional<Timestamp> started_;
  struct Past {
    Timestamp until;
    std::uint64_t enter_below;
  };
  std::deque<Past> past_;
};

}  // namespace sojourn
