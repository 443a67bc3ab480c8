#pragma once
// Choices without a branch, for conditions that follow no pattern.

#include <concepts>

namespace sojourn {

/// The condition as 0 or 1, opaque to the optimiser: it cannot turn code that uses it back into
/// branches.  An unpredictable branch is mispredicted every other time, at some 20 cycles each.
[[gnu::always_inline]] inline unsigned unpredictable(bool condition) {
  unsigned bit = condition;
  asm("" : "+r"(bit));
  return bit;
}

/// `bit ? yes : no`; `bit` is 0 or 1.  A conditional move where there is one, arithmetic elsewhere.
template <std::unsigned_integral Integer>
[[gnu::always_inline]] constexpr Integer choose(unsigned bit, Integer yes, Integer no) {
#if defined(__x86_64__)
  if !consteval {
    if constexpr (sizeof(Integer) >= sizeof(unsigned)) {
      asm("test %1, %1\n\tcmovnz %2, %0" : "+r"(no) : "r"(bit), "rm"(yes) : "cc");
      return no;
    }
  }
#endif
  const auto mask = static_cast<Integer>(Integer{0} - static_cast<Integer>(bit));
  return static_cast<Integer>(no ^ ((yes ^ no) & mask));
}

}  // namespace sojourn
