#pragma once
// Choices without a branch, for conditions that follow no pattern.

#include <concepts>
#include <cstdint>

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

/// A condition that is the highest bit of a word.  The other bits are arbitrary, so conditions are
/// joined by & | ~ and often need no comparison: the difference of two numbers is one.
using SignBit = std::uint32_t;
constexpr SignBit sign_bit(bool condition) { return SignBit{condition} << 31; }
constexpr bool is_set(SignBit condition) { return condition >> 31 != 0; }

/// `yes` if the condition holds, else `no`.
template <std::unsigned_integral Integer>
[[gnu::always_inline]] constexpr Integer choose_by_sign(SignBit condition, Integer yes,
                                                        Integer no) {
#if defined(__x86_64__)
  if !consteval {
    if constexpr (sizeof(Integer) >= sizeof(unsigned)) {
      asm("test %1, %1\n\tcmovs %2, %0" : "+r"(no) : "r"(condition), "rm"(yes) : "cc");
      return no;
    }
  }
#endif
  return choose(condition >> 31, yes, no);
}

}  // namespace sojourn
