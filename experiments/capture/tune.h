#pragma once
// The smallest memory, and the table in it, that is accurate enough for a capture.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/capture/accuracy_target.h"
#include "experiments/capture/capture_trial.h"

namespace sojourn {

struct TuneOptions {
  AccuracyTarget target;
  unsigned seeds = 7;
  std::uint64_t first_seed = 1;
  std::uint64_t least_memory = 4096;
  std::uint64_t most_memory = std::uint64_t{64} << 20;
};

/// A table with its parameters, and how it did.
struct TunedTable {
  TableWishes wishes;
  std::uint64_t memory_bytes = 0;
  double strain = 0;  ///< median over the seeds of AccuracyTarget::strain: met up to 1
  unsigned seeds_met = 0;
  double confirmed = 0;  ///< strain on fresh seeds; 0 if that was not tried
};

struct Tuning {
  std::optional<TunedTable> best;  ///< nullopt: only remembering every request is accurate enough
  std::vector<TunedTable> tried;   ///< the best of each table at each memory
};

/// Doubles the memory from the minimum.  At each size, every table but fridges-ivw is tried with
/// its default parameters and with some fitted to the capture: --longest, for staged --expire, just
/// above the longest delay and the 99.9th percentile.  Of the unbiased tables whose median error
/// over the seeds meets the target, the most accurate one is tried again on four times as many new
/// seeds.  The first whose median meets it there too, and two thirds of these runs, is the answer.
/// Without that the result could be luck: the more tables are tried, the likelier one passes by
/// chance.
///
/// staged is shown but never the answer: once full it measures only the earliest requests, which
/// looks accurate on a short capture but not in general.
Tuning tune(CaptureTrial& trial, const TuneOptions& options,
            const std::function<void(double)>& progress);

/// "--table fridges --memory 16KiB --longest 500ms": what to add to `sojourn rtt`.
std::string arguments_of(const TunedTable& table);

}  // namespace sojourn
