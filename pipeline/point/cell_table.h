#pragma once
// Round-trip delays of a slice of time as cells: sums that can be added up later.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "collector/report/point_report.h"
#include "core/sample_sink.h"

namespace sojourn {

struct CellOptions {
  Duration slice = std::chrono::seconds{10};
  /// Also by the responder's prefix of this length, or what GroupChoice has instead; 0: all traffic
  /// together.  Flows of IPv6, which do not fit, are grouped by host.
  std::size_t prefix_length = 0;
  std::size_t most_cells = 200'000;
};

/// Samples in, cells out.  When there are `most_cells`, samples of new cells are left out and
/// counted.
///
/// The cells are stored one after another, in the form in which they are sent; an index, at most
/// half full, finds them by open addressing.
class CellTable final : public SampleSink {
 public:
  explicit CellTable(const CellOptions& options);

  void take(std::span<const Sample> samples) override;

  /// The cells since the last call.  If a slice continues, later calls may return more for the same
  /// cell; add them up.
  void move_to(std::vector<RttCell>& cells);

  std::uint64_t samples() const { return samples_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void add(const Sample& sample);
  /// The place where a cell like `wanted` is, or would be.
  std::uint32_t& place_of(const RttCell& wanted);

  CellOptions options_;
  std::vector<RttCell> cells_;
  std::vector<std::uint32_t> places_;  ///< index of a cell plus 1; 0: free
  std::uint64_t samples_ = 0, left_out_ = 0, strangers_ = 0;
};

}  // namespace sojourn
