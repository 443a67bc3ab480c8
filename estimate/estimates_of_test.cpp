#include "estimate/estimates_of.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace sojourn {
namespace {

TEST(EstimatesOf, AreThoseOfEachWhateverTheThreads) {
  std::array<Distribution, 3> distributions = {Distribution{Keep::every_sample},
                                               Distribution{Keep::every_sample}, Distribution{}};
  for (std::int64_t i = 0; i < 300'000; ++i) {
    distributions[0].add(Duration{(i * 7919) % 300'007});
    if (i % 3 == 0) distributions[1].add(Duration{1'000'000 + (i * 31) % 10'007});
  }
  const std::array<const Distribution*, 3> pointers = {&distributions[0], &distributions[1],
                                                       &distributions[2]};
  constexpr std::array qs = {0.5, 0.95, 0.99};
  for (const unsigned threads : {0u, 1u, 2u, 8u}) {
    const auto found = estimates_of(pointers, qs, threads);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_TRUE(found[2].empty());  // without a sample there is nothing to say
    for (std::size_t i = 0; i < 2; ++i) {
      const auto alone = pointers[i]->estimates(qs);
      ASSERT_EQ(found[i].size(), qs.size());
      for (std::size_t k = 0; k < qs.size(); ++k) {
        EXPECT_EQ(found[i][k].delay, alone[k].delay);
        EXPECT_EQ(found[i][k].interval.low, alone[k].interval.low);
        EXPECT_EQ(found[i][k].interval.high, alone[k].interval.high);
      }
    }
  }
}

}  // namespace
}  // namespace sojourn
