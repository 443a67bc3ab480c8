#pragma once
// For tests: the other counter of FRIDGE.

namespace sojourn::test {

/// Counts insertions, as the switch program of the paper does (section 6.1): see CountArrivals.
struct CountInsertions {
  static constexpr int slot_bits = 29;
  static double eviction_chance(double /*p*/, double slots) { return 1 / slots; }
  static constexpr bool counts(bool entered) { return entered; }
};

}  // namespace sojourn::test
