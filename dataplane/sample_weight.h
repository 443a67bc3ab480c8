#pragma once
// How many pairs a sample of the kernel stands for.

#include <array>
#include <cstdint>
#include <optional>

#include "dataplane/dataplane_options.h"

namespace sojourn {

/// A key's home is fridge k with chance q_k, and its coin lets it in with chance p, whatever p was
/// when it came.  Then every insertion into its shard of that fridge overwrites it with chance 1/M.
/// Given what all other keys did, the chance that some fridge has kept it is known, and its inverse
/// is an unbiased weight (Horvitz and Thompson 1952):
///
///     w = 1 / ( p sum_k q_k (1 - 1/M)^x_k )        x_k: insertions into fridge k since
///
/// Counter and base belong together (docs/design/tables.md): insertions go with 1/M.
///
/// What outlived 16 lives of the slowest fridge has no weight: one in nine million such pairs would
/// be seen, and would weigh nine million.
class SampleWeight {
 public:
  static constexpr double max_lives = 16;

  explicit SampleWeight(const dp_config& config);

  /// nullopt: too old.
  std::optional<double> of(const dp_sample& sample) const {
    return of(sample.ages, sample.enter_below);
  }
  std::optional<double> of(std::uint64_t ages, std::uint32_t enter_below) const;

 private:
  unsigned fridges_;
  double lives_a_unit_;
  std::array<double, DP_MOST_FRIDGES> share_{};
};

}  // namespace sojourn
