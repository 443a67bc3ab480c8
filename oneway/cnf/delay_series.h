#pragma once
// Measured delays in the order of their send times, which Multiflow averages.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"

namespace sojourn {

/// One packet whose delay is known.
struct TimedDelay {
  Timestamp sent;
  Duration delay;
};

/// Mean and deviation of a set of delays.
struct DelaySummary {
  std::uint64_t samples = 0;
  double mean_ns = 0;
  double deviation_ns = 0;  ///< of the population, sum/(n-1); 0 for a single sample
};

/// A time-sorted series that answers "mean and deviation between two times" in O(log n).
///
/// Prefix sums of the delays and of their squares are 128-bit integers, so that differences are
/// exact, however long the series and however far apart the clocks.  A grid over time narrows the
/// binary search to a handful of neighbours.  60 bytes a sample.
class DelaySeries {
 public:
  DelaySeries() = default;
  explicit DelaySeries(std::vector<TimedDelay> samples);

  /// A range of neighbours: samples()[begin] up to but not including samples()[end].
  struct Range {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
    friend bool operator==(const Range&, const Range&) = default;
  };
  /// All samples sent in [first, last].
  Range within(Timestamp first, Timestamp last) const;
  /// As `within`, but at least `least` samples: if there are fewer, the range is widened to either
  /// side, by the nearer sample first.
  Range at_least(std::size_t least, Timestamp first, Timestamp last) const;

  /// samples = 0 for an empty range.
  DelaySummary over(Range range) const;
  /// The number of independent samples of the path among them (cnf/moment.h); 0 for an empty range.
  double moments(Range range) const;

  DelaySummary between(Timestamp first, Timestamp last) const { return over(within(first, last)); }

  /// The straight line between the samples next to `sent` on either side; outside of the series the
  /// nearest sample (CNF section III-H leaves that open).  nullopt without any sample.
  std::optional<double> interpolated_ns(Timestamp sent) const;

  /// Index of the first sample sent at `time` or later.
  std::size_t lower_bound(Timestamp time) const;
  /// Two prefetch steps, some queries apart: the position in the series, then the samples there.
  [[gnu::always_inline]] void prefetch_place(Timestamp time) const {
    if (!empty()) prefetch_to_read(&grid_[cell_of(to_ns(time))]);
  }
  [[gnu::always_inline]] void prefetch_samples(Timestamp time) const {
    if (empty()) return;
    const std::size_t place = grid_[cell_of(to_ns(time))];
    prefetch_to_read(samples_.begin() + place);
    prefetch_to_read(sums_.begin() + place);
  }

  std::span<const TimedDelay> samples() const { return {samples_.begin(), samples_.size()}; }
  bool empty() const { return samples_.size() == 0; }

 private:
  __extension__ using Wide = __int128;
  struct Sums {
    Wide delay;
    Wide square;
  };

  /// Rounding in the last digit is harmless: it is the same, and monotonic, for samples and
  /// queries.
  std::size_t cell_of(std::int64_t ns) const {
    const double cell = static_cast<double>(difference_ns(ns, begin_ns_)) * cells_a_ns_;
    return static_cast<std::size_t>(std::clamp(cell, 0.0, last_cell_));
  }

  // On huge pages: queries in random order would miss the TLB three times each (bench_oneway).
  HugeArray<TimedDelay> samples_;
  HugeArray<Sums> sums_;  ///< sums_[i] covers the samples before i, less the pivot each
  /// crowd_[i]: squared samples per moment before i.  Separate from sums_: only margins use it.
  HugeArray<std::uint64_t> crowd_;
  HugeArray<std::uint32_t> grid_;  ///< first sample of each slice of time, and the end
  std::int64_t begin_ns_ = 0;
  std::int64_t pivot_ns_ = 0;
  double cells_a_ns_ = 0;
  double last_cell_ = 0;
};

}  // namespace sojourn
