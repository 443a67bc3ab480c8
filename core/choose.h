#pragma once
// Choices without a branch, for conditions that follow no pattern.

#include <concepts>

namespace sojourn {

/// The condition as 0 or 1, of which the compiler is told nothing: it cannot turn what is computed
/// from it back into branches.  One that cannot be predicted costs some 20 cycles every other time.
[[gnu::always_inline]] inline unsigned unpredictable(bool condition) {
  unsigned bit = condition;
  asm("" : "+r"(bit));
  return bit;
}

/// `bit ? yes : no` in arithmetic; `bit` is 0 or 1.
template <std::unsigned_integral Integer>
constexpr Integer choose(unsigned bit, Integer yes, Integer no) {
  const auto mask = static_cast<Integer>(Integer{0} - static_cast<Integer>(bit));
  return static_cast<Integer>(no ^ ((yes ^ no) & mask));
}

}  // namespace sojourn
