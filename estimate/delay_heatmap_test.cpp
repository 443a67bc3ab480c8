#include "estimate/delay_heatmap.h"

#include <gtest/gtest.h>

#include <random>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon = timestamp_from_ns(1'794'052'800'000'000'000);

double total(const DelayHeatmap& heatmap) {
  double sum = 0;
  for (std::size_t column = 0; column < heatmap.columns(); ++column)
    for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
      sum += heatmap.weight(column, row, Kind::tcp, Leg::server);
  return sum;
}

TEST(DelayHeatmap, PutsDelaysIntoTheirRows) {
  for (const Duration delay : {0ns, 255ns, 256ns, 300ns, 1000ns, 20'000'000ns, 1'000'000'000ns}) {
    const std::size_t row = DelayHeatmap::row_of(delay);
    EXPECT_LE(DelayHeatmap::lowest(row), delay);
    EXPECT_GT(DelayHeatmap::lowest(row + 1), delay);
  }
  // From 256 ns on, four rows double the delay.
  for (const std::size_t octave : {0u, 1u, 2u, 10u})
    EXPECT_EQ(DelayHeatmap::lowest(1 + 4 * octave), 256ns * (1 << octave));
  EXPECT_EQ(DelayHeatmap::row_of(-5ms), 0u);
  EXPECT_EQ(DelayHeatmap::row_of(Duration::min()), 0u);
  EXPECT_EQ(DelayHeatmap::row_of(Duration::max()), DelayHeatmap::rows - 1);
  EXPECT_GT(DelayHeatmap::lowest(DelayHeatmap::rows - 1), 60s);
}

TEST(DelayHeatmap, LengthensItsColumnsInsteadOfGrowing) {
  DelayHeatmap heatmap;
  for (int i = 0; i < 10'000; ++i) {
    heatmap.add(noon + i * 10ms, Kind::tcp, Leg::server, 20ms, 1);
    heatmap.add_requests(noon + i * 10ms, Kind::tcp, 1);
    if (i % 4 != 0) heatmap.add_answered(noon + i * 10ms, Kind::tcp, 1);
  }
  EXPECT_EQ(heatmap.length(), 512ms) << "100 s in at most 256 columns";
  EXPECT_LE(heatmap.columns(), DelayHeatmap::most_columns);
  EXPECT_EQ(total(heatmap), 10'000);
  EXPECT_LE(heatmap.start_of(0), noon);
  EXPECT_GT(heatmap.start_of(1), noon);
  double requests = 0, answered = 0;
  for (std::size_t i = 0; i < heatmap.columns(); ++i) {
    requests += heatmap.requests(i, Kind::tcp);
    answered += heatmap.answered(i, Kind::tcp);
  }
  EXPECT_EQ(requests, 10'000);
  EXPECT_EQ(answered, 7'500);
}

TEST(DelayHeatmap, TakesTimesInAnyOrderEvenAbsurdOnes) {
  DelayHeatmap heatmap;
  for (const Timestamp time : {noon, noon - 1s, noon + 5s, timestamp_from_ns(-1),
                               timestamp_from_ns(0), Timestamp::max(), Timestamp::min()})
    heatmap.add(time, Kind::tcp, Leg::server, 1ms, 1);
  EXPECT_EQ(total(heatmap), 7);
  EXPECT_LE(heatmap.columns(), DelayHeatmap::most_columns);
}

/// The data of two threads, joined in either order, equals that of one thread.
TEST(DelayHeatmap, JoinsAsIfOneHadSeenAll) {
  std::mt19937_64 random{7};
  DelayHeatmap one, left, right;
  for (int i = 0; i < 5000; ++i) {
    const Timestamp time = noon + Duration{static_cast<std::int64_t>(random() % 3'000'000'000)};
    const Duration delay{static_cast<std::int64_t>(random() % 50'000'000)};
    one.add(time, Kind::tcp, Leg::server, delay, 1);
    (time < noon + 100ms ? left : right).add(time, Kind::tcp, Leg::server, delay, 1);
  }
  EXPECT_NE(left.length(), right.length());
  DelayHeatmap joined;
  joined.merge(left);
  joined.merge(right);
  right.merge(left);
  for (const DelayHeatmap* other : {&joined, &right}) {
    ASSERT_EQ(other->length(), one.length());
    ASSERT_EQ(other->columns(), one.columns());
    ASSERT_EQ(other->start_of(0), one.start_of(0));
    for (std::size_t column = 0; column < one.columns(); ++column)
      for (std::size_t row = 0; row < DelayHeatmap::rows; ++row)
        ASSERT_EQ(other->weight(column, row, Kind::tcp, Leg::server),
                  one.weight(column, row, Kind::tcp, Leg::server));
  }
}

}  // namespace
}  // namespace sojourn
