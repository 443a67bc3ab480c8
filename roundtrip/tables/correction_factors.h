#pragma once
// A fridge's weights as a short table of integers, for data planes without arithmetic.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sojourn {

/// The factor applies from here up to the next rule.
struct CorrectionRule {
  std::uint32_t first_x;  ///< steps of the fridge's counter that a pair has survived
  std::uint32_t factor;   ///< weight * scale
};

/// w(x) = 1 / (p (1 - c)^x) as a step function (FRIDGE section 6.2).  Factors are integers that
/// start at 1/p and grow 1.1-fold, by at least 1.  The next factor begins where w passes the mean
/// of the two, rounded to `boundary_bits` significant bits so that few prefixes cover a range.
/// Four bits reproduce the paper's example for p = 1/2, M = 2^16, c = 1/M (2 below 7 * 2^11, 3
/// below 9 * 2^12).
class CorrectionFactors {
 public:
  struct Options {
    double entry_probability = 1;
    double eviction_chance = 0;  ///< c of one step: p/M for arrivals, 1/M for insertions
    int bits = 32;               ///< of the counter; x is taken modulo 2^bits
    double step = 1.1;
    std::uint32_t scale = 1;  ///< 1 is the paper's; 16 keeps the steps at 1.1 down to a weight of 1
    int boundary_bits = 4;
    double max_lives = 16;  ///< a pair that survived longer gets no weight
  };

  explicit CorrectionFactors(const Options& options);

  /// Binary search with integers only, as in a data plane.
  std::uint32_t factor(std::uint32_t x) const {
    std::size_t low = 0, high = rules_.size();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (rules_[middle].first_x <= x ? low : high) = middle;
    }
    return rules_[low].factor;
  }

 private:
  std::vector<CorrectionRule> rules_;  ///< by x; the last has factor 0: drop the sample
};

}  // namespace sojourn
