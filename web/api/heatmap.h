#pragma once
// Delays over time: columns of time, rows of delay, and the figures of each column.

#include <cstdint>
#include <optional>
#include <vector>

#include "store/loss_estimate.h"
#include "web/api/selection.h"

namespace sojourn::web {

/// Rows are whole groups of LogBuckets, 8 an octave (16 ns each below 256 ns), so that no bucket is
/// in two of them.  Negative delays have the negative rows.
struct HeatmapRows {
  static constexpr int shift = 4;
  static constexpr std::int32_t of(std::int32_t bin) { return bin >> shift; }
  static constexpr std::int64_t lowest(std::int32_t row) {
    return LogBuckets::lowest(row << shift);
  }
  static constexpr std::int64_t highest(std::int32_t row) {
    return LogBuckets::highest((row << shift) + (1 << shift) - 1);
  }
};

struct HeatmapCell {
  std::uint32_t column = 0;
  std::int32_t row = 0;
  double weight = 0;
};

struct HeatmapColumn {
  double weight = 0;
  double effective_samples = 0;
  std::vector<QuantileEstimate> quantiles;  ///< median and p95; empty without samples
  std::optional<LossEstimate> loss;
};

struct Heatmap {
  Timestamp from{}, to{};
  Duration step{};  ///< of a column
  std::optional<std::uint8_t> leg;
  std::vector<HeatmapCell> cells;  ///< by column, then row
  std::vector<HeatmapColumn> columns;
};

/// The shortest of a list of round steps that needs at most `columns` of them.  Slices of the
/// store's tiers fit into each step as a whole.
Duration step_for(Duration length, std::size_t columns);

/// At most `most_columns`, beginning and ending at multiples of the step.  If the store has only
/// longer slices left the step is theirs: no data is spread over times for which it is not known.
/// `judged_until`: losses are known up to there.
Result<Heatmap> heatmap(Store& store, const Selector& selector, const Stretch& stretch,
                        std::size_t most_columns, Timestamp judged_until);
/// The same with a given step.
Result<Heatmap> heatmap(Store& store, const Selector& selector, const Stretch& stretch,
                        Duration step, Timestamp judged_until);

}  // namespace sojourn::web
