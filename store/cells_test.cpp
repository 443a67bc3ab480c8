#include "store/cells.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "store/cell_batch.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

CellBlock random_block(std::mt19937_64& random, int samples) {
  CellBatch batch;
  for (int i = 0; i < samples; ++i) {
    const auto ns = static_cast<std::int64_t>(random() % 20'000'000) - 1'000'000;
    const double weight = random() % 3 == 0 ? 0.25 + static_cast<double>(random() % 7) : 1;
    batch.add({}, LogBuckets::index_of(ns), FlowTag::of(random() % 50), weight);
  }
  return batch.blocks().empty() ? CellBlock{} : batch.blocks().front().second;
}

TEST(CellBlock, BytesAreReadBackAsTheyWere) {
  std::mt19937_64 random{1};
  for (int round = 0; round < 200; ++round) {
    const CellBlock block = random_block(random, static_cast<int>(random() % 300));
    const auto bytes = encode(block);
    CellBlock read;
    ASSERT_TRUE(decode(bytes.data(), bytes.size(), read)) << "round " << round;
    EXPECT_EQ(read, block) << "round " << round;
  }
}

/// 8.7e281 requests are impossible, and do not fit an integer.
TEST(CellBlock, WeightsThatCannotBeAreRefused) {
  EXPECT_TRUE(is_possible_weight(1, 1));
  EXPECT_TRUE(is_possible_weight(1e12, 1e20));
  EXPECT_FALSE(is_possible_weight(0, 1));
  EXPECT_FALSE(is_possible_weight(1, -1));
  EXPECT_FALSE(is_possible_weight(std::numeric_limits<double>::quiet_NaN(), 1));
  EXPECT_FALSE(is_possible_weight(1, std::numeric_limits<double>::infinity()));
  for (const double weight : {8.7e281, 1e16}) {
    CellBlock block;
    block.cells.push_back({.flow_group = 3, .bin = 40, .weight = weight, .squares = weight});
    const auto bytes = encode(block);
    CellBlock read;
    EXPECT_FALSE(decode(bytes.data(), bytes.size(), read)) << weight;
  }
}

TEST(CellBlock, DamagedBytesAreRefusedOrGiveAnotherValidBlock) {
  std::mt19937_64 random{2};
  int refused = 0;
  for (int round = 0; round < 2'000; ++round) {
    auto bytes = encode(random_block(random, 40));
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    bytes.resize(bytes.size() - random() % 3);
    CellBlock read;
    if (!decode(bytes.data(), bytes.size(), read)) {
      ++refused;
      continue;
    }
    CellBlock again;
    const auto rewritten = encode(read);
    ASSERT_TRUE(decode(rewritten.data(), rewritten.size(), again));
    EXPECT_EQ(read, again);
  }
  EXPECT_GT(refused, 500);
}

TEST(CellBlock, AddingTwoIsCountingTheirSamplesTogether) {
  std::mt19937_64 random{3};
  CellBatch first, second, both;
  for (int i = 0; i < 5'000; ++i) {
    const std::int32_t bin = LogBuckets::index_of(static_cast<std::int64_t>(random() % 100'000));
    const FlowTag flow = FlowTag::of(random() % 100);
    (i % 2 == 0 ? first : second).add({}, bin, flow, 2);
    both.add({}, bin, flow, 2);
  }
  CellBlock sum = first.blocks().front().second;
  sum.add(second.blocks().front().second);
  EXPECT_EQ(sum, both.blocks().front().second);
}

// The same samples, once as samples and once as cells: quantiles and intervals agree to the width
// of the buckets, effective samples and flows exactly.
TEST(CellBlock, ADistributionOutOfCellsHasTheIntervalsOfItsSamples) {
  std::mt19937_64 random{4};
  std::lognormal_distribution<double> path{std::log(20e6), 0.4};
  Distribution direct;
  CellBatch batch;
  for (std::uint64_t flow = 1; flow <= 400; ++flow) {
    const double own = path(random);
    for (int i = 0; i < 30; ++i) {
      const auto ns =
          static_cast<std::int64_t>(own * (1 + 0.1 * static_cast<double>(random() % 100) / 100));
      const double weight = 1 + static_cast<double>(flow % 4);
      direct.add(Duration{ns}, weight, FlowTag::of(flow));
      batch.add({}, LogBuckets::index_of(ns), FlowTag::of(flow), weight);
    }
  }
  Distribution stored;
  batch.blocks().front().second.add_to(stored);
  EXPECT_DOUBLE_EQ(stored.total_weight(), direct.total_weight());
  EXPECT_NEAR(stored.effective_samples(), direct.effective_samples(),
              direct.effective_samples() * 0.02);
  EXPECT_EQ(stored.flows().flows, direct.flows().flows);
  const auto a = direct.estimates(std::array{0.5, 0.95, 0.99});
  const auto b = stored.estimates(std::array{0.5, 0.95, 0.99});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double width = static_cast<double>(a[i].delay.count()) / 100;
    EXPECT_NEAR(static_cast<double>(a[i].delay.count()), static_cast<double>(b[i].delay.count()),
                width);
    EXPECT_NEAR(static_cast<double>(a[i].interval.low.count()),
                static_cast<double>(b[i].interval.low.count()), 2 * width);
    EXPECT_NEAR(static_cast<double>(a[i].interval.high.count()),
                static_cast<double>(b[i].interval.high.count()), 2 * width);
    EXPECT_EQ(a[i].interval.bounded(), b[i].interval.bounded());
  }
}

TEST(CellBatch, ManySamplesOfManySeriesAreAllThere) {
  CellBatch batch;
  double expected = 0;
  for (std::uint32_t i = 0; i < 3'000'000; ++i) {
    CellSeries series;
    series.subject = i % 7;
    series.slice = timestamp_from_ns(0) + (i % 11) * finest_slice;
    batch.add(series, static_cast<std::int32_t>(i % 13), FlowTag::of(i % 5), 1);
    ++expected;
  }
  double sum = 0;
  for (const auto& [series, block] : batch.blocks())
    for (const HistogramCell& cell : block.cells) sum += cell.weight;
  EXPECT_EQ(sum, expected);
  EXPECT_EQ(batch.blocks().size(), 77u);
}

TEST(SliceOf, BeginsBeforeTheTimeAlsoBefore1970) {
  EXPECT_EQ(slice_of(timestamp_from_ns(25'000'000'000), 10s), timestamp_from_ns(20'000'000'000));
  EXPECT_EQ(slice_of(timestamp_from_ns(-1), 10s), timestamp_from_ns(-10'000'000'000));
}

}  // namespace
}  // namespace sojourn
