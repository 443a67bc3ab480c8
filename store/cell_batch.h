#pragma once
// Cells to be written to a store: added sample by sample, read series by series.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "store/cells.h"

namespace sojourn {

/// Samples are appended, 32 bytes each, and sorted into blocks when they are read or become too
/// many: no table look-up per sample.
class CellBatch {
 public:
  /// `flow` names the group of flows and the mark; `weight` is positive.
  void add(const CellSeries& series, std::int32_t bin, FlowTag flow, double weight) {
    add(series, bin, flow.group(), std::uint64_t{1} << flow.mark(), weight, weight * weight);
  }
  void add(const CellSeries& series, std::int32_t bin, unsigned flow_group, std::uint64_t marks,
           double weight, double squares);

  /// All series in order.  They stay until `clear`: what could not be stored is not lost.
  const std::vector<std::pair<CellSeries, CellBlock>>& blocks();
  void clear();

  bool empty() const { return pending_.empty() && blocks_.empty(); }
  /// Distinct cells that are sorted, and samples that are not.
  std::size_t size() const { return cells_ + pending_.size(); }

 private:
  struct Pending {
    std::uint32_t series;
    std::int32_t bin;
    std::uint64_t marks;
    double weight, squares;
    std::uint8_t flow_group;
  };
  static constexpr std::size_t most_pending = std::size_t{1} << 20;

  std::uint32_t number_of_series(const CellSeries& series);
  void sort_in();

  std::vector<CellSeries> series_;
  std::vector<std::uint32_t> table_;  ///< open addressing: number of the series + 1, or 0
  std::vector<Pending> pending_;
  std::vector<std::pair<CellSeries, CellBlock>> blocks_;
  std::size_t cells_ = 0;
};

}  // namespace sojourn
