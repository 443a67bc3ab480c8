#include "roundtrip/four_words.h"

#include <gtest/gtest.h>

#include <random>

namespace sojourn {
namespace {

TEST(FourWords, ComparesAsOneByOne) {
  std::mt19937_64 random{1};
  constexpr std::uint64_t mask = ~std::uint64_t{14};
  for (int round = 0; round < 10'000; ++round) {
    const std::uint64_t value = random() & mask;
    alignas(64) FourWords words;
    for (auto& word : words) {
      // Equal, equal except for the masked bits, or different in a bit of either half.
      word = value | (random() & ~mask);
      if (random() % 2) word ^= std::uint64_t{1} << random() % 64;
      if (random() % 8 == 0) word = random();
    }
    const FourBits fast = compare(words, mask, value), plain = compare_plainly(words, mask, value);
    ASSERT_EQ(fast.equal, plain.equal);
    ASSERT_EQ(fast.odd, plain.odd);
  }
}

}  // namespace
}  // namespace sojourn
