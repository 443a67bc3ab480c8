// The weights of the kernel's table, through the very headers that run in the kernel.
#include "dataplane/sample_weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "dataplane/test_datagram.h"
#include "dataplane/test_user_program.h"

namespace sojourn {
namespace {

using test::Datagram;

struct Totals {
  double all = 0, square = 0, slow = 0, without_base = 0;
};

/// 20 000 requests 1 us apart; the n-th is answered after 50 or 2000 others, in a table of 192.
Totals run(std::uint64_t seed, unsigned fridges, std::uint64_t enter_below) {
  DataplaneOptions options;
  options.table_bytes = 192 * sizeof(dp_slot);
  options.fridges = fridges;
  options.seed = seed;
  options.replay = true;
  const dp_config config = make_config(options);
  UserProgram program{config};
  program.control().enter_below = program.control().look_below = enter_below;
  constexpr std::uint32_t requests = 20'000;
  std::multimap<std::int64_t, std::uint32_t> due;
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::int64_t now = 1'000 * (static_cast<std::int64_t>(i) + 1);
    for (auto next = due.begin(); next != due.end() && next->first <= now; next = due.begin()) {
      program.process(Datagram{next->second, true}.at(next->first));
      due.erase(next);
    }
    program.process(Datagram{i, false}.at(now));
    due.emplace(now + (i % 4 == 0 ? 2'000'500 : 50'500), i);
  }
  for (const auto& [time, number] : due) program.process(Datagram{number, true}.at(time));
  const SampleWeight weight{config};
  Totals totals;
  for (const dp_sample& sample : program.samples()) {
    const double w = weight.of(sample).value_or(0);
    totals.all += w / requests;
    if (sample.delay_ns > 1'000'000) totals.slow += w / (requests / 4.0);
    // The mixture: insertions counted, but weighed as if they were arrivals.
    const double p = static_cast<double>(enter_below) * 0x1p-32;
    totals.without_base += std::pow(1 / p, 1 - p) * std::pow(w, p) / requests;
  }
  return totals;
}

/// The mean over seeds and how far chance may have moved it: a t interval of five standard errors,
/// a false alarm in some 10^5 runs (40 seeds, both tails).
void expect_unbiased(unsigned fridges, std::uint64_t enter_below) {
  constexpr int seeds = 40;
  double all = 0, squares = 0, slow = 0, slow_squares = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    const Totals totals = run(static_cast<std::uint64_t>(seed), fridges, enter_below);
    all += totals.all / seeds;
    squares += totals.all * totals.all / seeds;
    slow += totals.slow / seeds;
    slow_squares += totals.slow * totals.slow / seeds;
  }
  const auto error = [&](double mean, double square) {
    return 5 * std::sqrt(std::max(square - mean * mean, 0.0) / (seeds - 1));
  };
  EXPECT_NEAR(all, 1, error(all, squares)) << fridges;
  EXPECT_LT(error(all, squares), 0.1) << "the test would see nothing";
  EXPECT_NEAR(slow, 1, error(slow, slow_squares)) << fridges;
}

constexpr std::uint64_t everyone = std::uint64_t{1} << 32;

TEST(SampleWeight, SumsToTheNumberOfPairsWithOneFridge) { expect_unbiased(1, everyone / 2); }
TEST(SampleWeight, SumsToTheNumberOfPairsWithThreeFridges) { expect_unbiased(3, everyone); }
TEST(SampleWeight, SumsToTheNumberOfPairsWhenFewEnter) { expect_unbiased(3, everyone / 8); }

/// The twin: with the counter of one rule and the base of the other the sum is off.
TEST(SampleWeight, MixedUpBaseIsNoticed) {
  double mixed = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    mixed += run(seed, 1, everyone / 2).without_base / 20;
  EXPECT_LT(mixed, 0.9);
}

TEST(SampleWeight, IsOneInAnEmptyTableAndNothingAfterSixteenLives) {
  DataplaneOptions options;
  const dp_config config = make_config(options);
  const SampleWeight weight{config};
  EXPECT_DOUBLE_EQ(*weight.of(0, 0), 1);
  EXPECT_DOUBLE_EQ(*weight.of(0, 0x80000000u), 2);
  const auto last = std::uint64_t{17} * config.shard_slots >> config.age_shift;
  EXPECT_EQ(weight.of(last << (2 * DP_AGE_BITS), 0), std::nullopt);
}

TEST(DataplaneOptions, ShardsHaveSixtyFourSlotsAndAgesDoNotWrap) {
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{100'000}, std::size_t{8} << 20, std::size_t{1} << 30})
    for (const unsigned fridges : {1u, 3u}) {
      DataplaneOptions options;
      options.table_bytes = bytes;
      options.fridges = fridges;
      const dp_config config = make_config(options);
      EXPECT_GE(config.shard_slots, 64u);
      EXPECT_LE(slot_count(config) * sizeof(dp_slot),
                std::max<std::size_t>(bytes, 64 * fridges * sizeof(dp_slot)));
      // What the kernel rounds up is little.
      if (bytes > 50'000) {
        EXPECT_LT(static_cast<double>(table_bytes(config)), 1.25 * static_cast<double>(bytes));
      }
      EXPECT_LE(config.shards, static_cast<unsigned>(DP_MOST_SHARDS));
      const double most = 16 * pace_of(config, 0) * config.shard_slots;
      EXPECT_LT(most, std::ldexp(1.0, DP_AGE_BITS + static_cast<int>(config.age_shift)));
      double shares = 0;
      for (unsigned k = 0; k < fridges; ++k) shares += share_of(config, k);
      EXPECT_DOUBLE_EQ(shares, 1);
    }
}

}  // namespace
}  // namespace sojourn
