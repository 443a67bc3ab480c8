#include "web/api/heatmap.h"

#include <gtest/gtest.h>

#include "store/test_store.h"

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

constexpr auto start = TestStore::start;
constexpr auto oneway = number_of(Measure::oneway);
const Selector everything{"a:b", oneway, std::nullopt, std::nullopt};

std::int32_t bin_of(Duration delay) { return LogBuckets::index_of(to_ns(delay)); }

// A row is a whole number of buckets: none is in two rows, and rows are contiguous.
TEST(HeatmapRows, AreWholeBucketsThatTouch) {
  for (std::int32_t row = -450; row < 450; ++row) {
    EXPECT_EQ(HeatmapRows::highest(row) + 1, HeatmapRows::lowest(row + 1)) << row;
    EXPECT_EQ(HeatmapRows::of(LogBuckets::index_of(HeatmapRows::lowest(row))), row);
    EXPECT_EQ(HeatmapRows::of(LogBuckets::index_of(HeatmapRows::highest(row))), row);
  }
}

TEST(Heatmap, StepsAreRoundAndFewEnough) {
  EXPECT_EQ(step_for(10min, 100), 10s);
  EXPECT_EQ(step_for(1h, 100), 1min);
  EXPECT_EQ(step_for(24h, 300), 5min);
  EXPECT_EQ(step_for(24h * 365, 366), 24h);
  for (const Duration length : {Duration{10min}, Duration{24h}, Duration{24h * 365}})
    for (const std::size_t columns : {50u, 240u, 1000u})
      EXPECT_LE(length / step_for(length, columns), static_cast<std::int64_t>(columns));
}

TEST(Heatmap, EveryCellIsInItsColumnAndRowOnce) {
  TestStore store;
  double truth = 0;
  for (int i = 0; i < 360; ++i) {
    store.add("a:b", oneway, start + i * 10s, bin_of(5ms), 2.5, i);
    store.add("a:b", oneway, start + i * 10s, bin_of(-3ms), 1, i + 7, "203.0.113.0");
    truth += 3.5;
  }
  const auto map = heatmap(store, everything, {start, start + 1h}, 70, start + 1h);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->step, 1min);
  double sum = 0;
  for (const HeatmapCell& cell : map->cells) {
    sum += cell.weight;
    EXPECT_TRUE(cell.row == HeatmapRows::of(bin_of(5ms)) ||
                cell.row == HeatmapRows::of(bin_of(-3ms)));
  }
  EXPECT_DOUBLE_EQ(sum, truth);
  double columns = 0;
  for (const HeatmapColumn& column : map->columns) columns += column.weight;
  EXPECT_DOUBLE_EQ(columns, truth);
  // The second minute that is completely within the picture.
  EXPECT_DOUBLE_EQ(map->columns[2].weight, 6 * 3.5);
  EXPECT_NEAR(static_cast<double>(to_ns(map->columns[2].quantiles[1].delay)), 5e6, 5e4);
}

TEST(Heatmap, APrefixAloneLeavesOutTheRest) {
  TestStore store;
  store.add("a:b", oneway, start, bin_of(5ms), 10, 1);
  store.add("a:b", oneway, start, bin_of(50ms), 3, 2, "203.0.113.0");
  Selector selector = everything;
  selector.prefix = *Prefix::parse("203.0.113.0/24");
  auto map = heatmap(store, selector, {start, start + 10min}, 100, start);
  ASSERT_EQ(map->cells.size(), 1u);
  EXPECT_EQ(map->cells[0].weight, 3);
  // A longer prefix than the stored one cannot be resolved.
  selector.prefix = *Prefix::parse("203.0.113.128/25");
  map = heatmap(store, selector, {start, start + 10min}, 100, start);
  EXPECT_TRUE(map->cells.empty());
}

TEST(Heatmap, TheHeaviestLegIsTakenWhereNoneIsNamed) {
  TestStore store;
  store.add("p", 0, start, bin_of(1ms), 5, 1, "192.0.2.0", 0);
  store.add("p", 0, start, bin_of(2ms), 50, 2, "192.0.2.0", 1);
  Selector selector{"p", 0, std::nullopt, std::nullopt};
  EXPECT_EQ(heatmap(store, selector, {start, start + 10min}, 100, start)->leg, 1);
  selector.leg = 0;
  const auto map = heatmap(store, selector, {start, start + 10min}, 100, start);
  EXPECT_EQ(map->leg, 0);
  EXPECT_EQ(map->cells[0].weight, 5);
}

// Old times exist in long slices only; then the columns are as long.
TEST(Heatmap, LongSlicesMakeLongColumns) {
  TestStore store;
  store.slice = 10min;
  store.add("a:b", oneway, start, bin_of(5ms), 10, 1);
  const auto map = heatmap(store, everything, {start, start + 1h}, 360, start);
  EXPECT_EQ(map->step, 10min);
  EXPECT_LE(map->columns.size(), 7u);
}

TEST(Heatmap, LossIsOfTheColumnAndOnlyAsFarAsItIsKnown) {
  TestStore store;
  const auto loss = number_of(Measure::loss);
  for (int i = 0; i < 6; ++i) {
    store.add("a:b", loss, start + i * 1min, static_cast<std::int32_t>(LossBin::sent), 100, i);
    store.add("a:b", loss, start + i * 1min, static_cast<std::int32_t>(LossBin::arrived), 90, i);
  }
  const auto map = heatmap(store, everything, {start, start + 6min}, Duration{1min}, start + 3min);
  EXPECT_NEAR(map->columns[1].loss->share, 0.1, 1e-9);
  EXPECT_LT(map->columns[1].loss->low, 0.1);
  EXPECT_FALSE(map->columns[5].loss);
}

}  // namespace
}  // namespace sojourn::web
