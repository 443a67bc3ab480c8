#pragma once
// Which share of the requests enters the table in the kernel; depends on the past only.

#include <cstdint>
#include <deque>
#include <optional>

#include "core/time.h"
#include "dataplane/dataplane_options.h"
#include "roundtrip/tables/request_rate.h"

namespace sojourn {

/// Tunes the entry probability p.  The slowest fridge must live for as many requests as come within
/// the longest delay of interest, there must be no more samples than the reader wants, and the
/// requests that enter must take only a small share of a CPU, whatever the traffic.
///
/// p follows counts of the past: given those, each coin is as fair as with a fixed p, and each
/// request remembers the p that let it in.  So the weights stay exact while p changes
/// (docs/design/fridges.md).
///
/// A response is looked up if its request may have been admitted: if its coin is below the largest
/// p of the last `expire`, not below the current p.
class KernelPlan {
 public:
  struct Options {
    Duration longest = std::chrono::seconds{10};
    std::optional<double> entry_probability = {};  ///< fixed
    std::optional<double> most_samples = {};       ///< a second
    /// Let in a second.  One costs up to 0.4 us, most of it waiting for memory
    /// (docs/results/kernel.md), so these take 2 % of a CPU; more would add little precision.
    double most_requests = 50'000;
  };
  KernelPlan(const dp_config& config, const Options& options);

  /// Gets the counters so far; to be called a few times a second.
  void update(std::uint64_t arrivals, std::uint64_t samples, Timestamp now, dp_control& control);

  double entry_probability() const { return probability_; }

 private:
  double for_the_longest() const;
  double for_the_reader() const;
  double for_the_machine() const;
  void enter(double probability, Timestamp now, dp_control& control);

  Options options_;
  Duration expire_;
  double slowest_life_;  ///< in requests, at p = 1
  double probability_ = 1;
  double level_ = 0;  ///< p = 2^(-level/2), in steps
  RequestRate requests_;
  RequestRate requests_now_;
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
