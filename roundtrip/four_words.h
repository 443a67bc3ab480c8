#pragma once
// Compares four words of a cache line at once.

#include <array>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace sojourn {

using FourWords = std::array<std::uint64_t, 4>;

/// One bit for each of four words, the first in the lowest bit.
struct FourBits {
  unsigned equal;  ///< (word & mask) == value
  unsigned odd;    ///< the word's lowest bit is set
};

inline FourBits compare_plainly(const FourWords& words, std::uint64_t mask, std::uint64_t value) {
  FourBits bits{};
  for (unsigned i = 0; i < 4; ++i) {
    bits.equal |= unsigned{(words[i] & mask) == value} << i;
    bits.odd |= static_cast<unsigned>(words[i] & 1u) << i;
  }
  return bits;
}

/// `words` begin at a multiple of 16 bytes.
inline FourBits compare(const FourWords& words, std::uint64_t mask, std::uint64_t value) {
#if defined(__SSE2__)
  const auto* const at = reinterpret_cast<const __m128i*>(words.data());
  const __m128i low = _mm_load_si128(at), high = _mm_load_si128(at + 1);
  const __m128i masks = _mm_set1_epi64x(static_cast<std::int64_t>(mask));
  const __m128i values = _mm_set1_epi64x(static_cast<std::int64_t>(value));
  // SSE2 compares 32-bit halves of words.  The lower halves of all four go into one register, the
  // upper halves into another.
  const auto lower_halves = [](__m128i first, __m128i second) {
    return _mm_shuffle_ps(_mm_castsi128_ps(first), _mm_castsi128_ps(second),
                          _MM_SHUFFLE(2, 0, 2, 0));
  };
  const auto upper_halves = [](__m128i first, __m128i second) {
    return _mm_shuffle_ps(_mm_castsi128_ps(first), _mm_castsi128_ps(second),
                          _MM_SHUFFLE(3, 1, 3, 1));
  };
  const __m128i low_equal = _mm_cmpeq_epi32(_mm_and_si128(low, masks), values);
  const __m128i high_equal = _mm_cmpeq_epi32(_mm_and_si128(high, masks), values);
  const __m128 equal =
      _mm_and_ps(lower_halves(low_equal, high_equal), upper_halves(low_equal, high_equal));
  const __m128i odd = _mm_slli_epi32(_mm_castps_si128(lower_halves(low, high)), 31);
  return {static_cast<unsigned>(_mm_movemask_ps(equal)),
          static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(odd)))};
#else
  return compare_plainly(words, mask, value);
#endif
}

}  // namespace sojourn
