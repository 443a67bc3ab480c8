#pragma once
// Several fridges of equal size whose average lifetimes form a geometric series.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "roundtrip/tables/growth.h"

namespace sojourn {

/// The constants of a ladder: N fridges of M slots.  The lifetime of fridge k is shorter than that
/// of the last one by the factor `pace[k]`, a power of two, so that squaring gives one survival
/// from the next.  Short delays need little memory (they turn over quickly, so many samples pass
/// through few slots); the last fridge is for long delays.
///
/// One scale s tunes all of them.  It scales the hazard of an arrival, not p:
///
///     h_k = pace[k] e(s),   p_k = M (1 - exp(-h_k)),   so that (1 - p_k/M)^x = exp(-pace[k] e x)
///
/// holds exactly, and one integral E of e over the arrivals gives the survival in every fridge,
/// however s has changed in between.
///
/// Every key has one home fridge, fixed by its hash with the probabilities at s = 1, where sum p_k
/// = 1; s only decides which requests are admitted.  So a response finds the slot without knowing s
/// at the time of its request.
class FridgeLadder {
 public:
  static constexpr unsigned max_fridges = 8;
  /// E counts average lifetimes of the last fridge in 2^-58, and wraps after 64 of them.
  static constexpr int life_bits = 58;

  /// One setting of s.
  struct Level {
    std::uint64_t exposure;                               ///< e: what one arrival adds to E
    std::array<std::uint64_t, max_fridges> enters_below;  ///< 2^32 p_k / q_k
    std::array<double, max_fridges> entry_probability;    ///< p_k
  };

  /// Without `entry_probability`, levels decrease by half octaves from s = 1; with it there is only
  /// the level at which sum p_k has that value.
  FridgeLadder(unsigned fridges, unsigned octaves_apart, std::size_t slots,
               std::optional<double> entry_probability);

  unsigned fridges() const { return fridges_; }
  std::size_t slots_a_fridge() const { return slots_; }
  double pace(unsigned fridge) const { return pace_[fridge]; }
  const Level& level(std::size_t index) const { return levels_[index]; }

  /// sum_k p_k exp(-pace[k] lives): the chance that any fridge has kept a request that came at this
  /// level, `lives` lifetimes of the last fridge ago.
  double chance(const Level& then, double lives) const {
    double survival = growth(-lives);
    double sum = then.entry_probability[fridges_ - 1] * survival;
    for (unsigned k = fridges_ - 1; k > 0; --k) {
      for (unsigned octave = 0; octave < octaves_apart_; ++octave) survival *= survival;
      sum += then.entry_probability[k - 1] * survival;
    }
    return sum;
  }

  /// The fridge selected by 31 random bits.  No branch on it: a misprediction would cost more.
  [[gnu::always_inline]] unsigned home(std::uint32_t coin) const {
    unsigned fridge = (coin >= home_ends_[0]) + (coin >= home_ends_[1]) + (coin >= home_ends_[2]);
    if (fridges_ > 4)
      for (unsigned k = 3; k + 1 < max_fridges; ++k) fridge += coin >= home_ends_[k];
    return fridge;
  }

  /// The level, as a fraction, at which the last fridge's lifetime is `arrivals` requests on
  /// average.
  double level_for(double arrivals) const;

 private:
  /// e for which sum p_k is `total`.
  double exposure_for(double total) const;
  Level make_level(double exposure, const std::array<double, max_fridges>& shares) const;

  unsigned fridges_;
  unsigned octaves_apart_;
  std::size_t slots_;
  double largest_exposure_ = 0;  ///< e at s = 1
  std::array<double, max_fridges> pace_{};
  std::array<std::uint32_t, max_fridges> home_ends_;  ///< padded with values that no coin reaches
  std::vector<Level> levels_;
};

}  // namespace sojourn
