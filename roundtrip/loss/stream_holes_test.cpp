#include "roundtrip/loss/stream_holes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace sojourn {
namespace {

constexpr Timestamp now = timestamp_from_ns(1'000);

TEST(StreamHoles, AreFilledFromEitherEndAndFromTheMiddle) {
  for (const std::uint32_t base : {0u, 0xffff'ff80u}) {  // the second one wraps
    StreamHoles holes;
    holes.open(base, base + 100, now);
    EXPECT_FALSE(holes.fill(base + 100, base + 110).any);
    const auto begin = holes.fill(base, base + 20);
    EXPECT_TRUE(begin.any);
    EXPECT_EQ(begin.opened, now);
    EXPECT_FALSE(holes.reach(base, base + 20));
    EXPECT_TRUE(holes.reach(base + 20, base + 21));
    EXPECT_FALSE(holes.fill(base, base + 20).any) << "a second time";
    EXPECT_TRUE(holes.fill(base + 90, base + 120).any);
    EXPECT_FALSE(holes.reach(base + 90, base + 100));
    EXPECT_TRUE(holes.fill(base + 40, base + 50).any);
    EXPECT_FALSE(holes.reach(base + 40, base + 50));
    EXPECT_TRUE(holes.reach(base + 39, base + 40));
    EXPECT_TRUE(holes.reach(base + 50, base + 51));
    EXPECT_TRUE(holes.fill(base, base + 100).any);
    EXPECT_FALSE(holes.reach(base, base + 100));
  }
}

TEST(StreamHoles, AreASetOfMissingBytes) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 200; ++round) {
    StreamHoles holes;
    std::set<std::uint32_t> missing;
    for (std::uint32_t i = 0; i < 100; ++i) missing.insert(i);
    holes.open(0, 100, now);
    for (int i = 0; i < 20; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % 100);
      const auto to = from + 1 + static_cast<std::uint32_t>(random() % 20);
      const bool any = missing.lower_bound(from) != missing.lower_bound(to);
      EXPECT_EQ(holes.reach(from, to), any);
      EXPECT_EQ(holes.fill(from, to).any, any);
      missing.erase(missing.lower_bound(from), missing.lower_bound(to));
    }
  }
}

}  // namespace
}  // namespace sojourn
