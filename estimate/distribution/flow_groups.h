#pragma once
// Weights of delays by group of flows: the variation between flows determines the precision of a
// figure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/flow_tag.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

/// Number of flows, by linear counting (Whang and others, ACM TODS 15, 1990): a flow sets one of
/// 2048 bits, and n flows leave 2048 exp(-n/2048) of them unset.  Within some 5 % up to `most`.
struct FlowCount {
  static constexpr double most = 10'000;
  double flows = 0;
  bool or_more = false;  ///< at least `most`, possibly any number more
};

/// A histogram for each of 32 random groups of flows, 32 cells an octave (a cell is four buckets).
/// A row of 32 sums, 256 bytes, is stored for each cell in use, and beside it a cache line of
/// counts of samples that weigh 1, which are added to the sums before they overflow.  Mergeable by
/// addition.
class FlowGroups {
 public:
  using Row = std::array<double, FlowTag::groups>;
  static constexpr int buckets_per_cell = 4;
  static constexpr std::int32_t cells_per_octave = LogBuckets::per_octave / buckets_per_cell;

  FlowGroups() { octaves_.fill(none); }

  /// `bucket` is an index of LogBuckets.
  void add(std::int32_t bucket, FlowTag flow, double weight) {
    seen_[flow.group()] |= std::uint64_t{1} << flow.mark();
    row_of(cell_of(bucket))[flow.group()] += weight;
  }
  /// Some weight of a group; the marks of its flows come by add_seen.
  void add_weight(std::int32_t bucket, std::size_t group, double weight) {
    row_of(cell_of(bucket))[group] += weight;
  }
  /// The same for many: all look-ups first, then all additions, so that they do not wait for each
  /// other.  Each weighs 1 if no weights are given.
  void add_all(std::span<const std::int32_t> buckets, std::span<const FlowTag> flows,
               std::span<const double> weights = {});
  void add_row(std::int32_t cell, const Row& row);
  void add_seen(std::size_t group, std::uint64_t marks) { seen_[group] |= marks; }
  void merge(const FlowGroups& other);

  /// Calls visit(cell, row) for each cell in use, in order of delay.
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::size_t o = 0; o < octaves_.size(); ++o) {
      if (octaves_[o] == none) continue;
      const Octave& octave = places_[octaves_[o]];
      for (std::size_t i = 0; i < octave.size(); ++i) {
        if (octave[i] == 0) continue;
        Row row = rows_[octave[i] - 1u];
        const Counts& counts = counts_[octave[i] - 1u];
        for (std::size_t g = 0; g < row.size(); ++g) row[g] += counts[g];
        visit(static_cast<std::int32_t>(o * octave.size() + i) - first_place, std::as_const(row));
      }
    }
  }

  FlowCount count() const;
  /// The marks seen, by group.
  std::span<const std::uint64_t, FlowTag::groups> seen() const { return seen_; }

  static constexpr std::int32_t cell_of(std::int32_t bucket) { return bucket >> 2; }
  static constexpr std::int32_t last_bucket(std::int32_t cell) { return cell * 4 + 3; }
  static constexpr std::int32_t first_place = LogBuckets::per_sign / buckets_per_cell;

 private:
  static constexpr std::uint8_t none = 0xff;
  /// Samples of weight 1 that are not in the row yet, by group.
  using Counts = std::array<std::uint16_t, FlowTag::groups>;
  /// Row number of each cell, from 1; 0 if there is none yet.
  using Octave = std::array<std::uint16_t, cells_per_octave>;

  std::uint16_t number_of(std::int32_t cell) {
    const auto place = static_cast<std::uint32_t>(cell + first_place);
    const std::uint8_t octave = octaves_[place / cells_per_octave];
    if (octave != none) [[likely]]
      if (const std::uint16_t row = places_[octave][place % cells_per_octave]; row != 0) [[likely]]
        return row;
    return new_row(place);
  }
  Row& row_of(std::int32_t cell) { return rows_[number_of(cell) - 1u]; }
  std::uint16_t new_row(std::uint32_t place);
  void add_counts(std::size_t row);

  std::array<std::uint64_t, FlowTag::groups> seen_{};
  std::array<std::uint8_t, 2 * LogBuckets::octaves> octaves_;
  std::vector<Octave> places_;
  std::vector<Row> rows_;
  std::vector<Counts> counts_;  ///< as many
};

}  // namespace sojourn
