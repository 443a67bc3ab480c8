#include "roundtrip/tables/leased_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start{1'700'000'000s};

TEST(LeaseTerms, SurviveAsTheyClaim) {
  const LeaseTerms terms{{.shortest = 10ms, .tail = 0.75, .longest = 100s}};
  std::mt19937_64 random{1};
  constexpr int draws = 1'000'000;
  for (const Duration delay : {5ms, 10ms, 20ms, 123ms, 2000ms}) {
    int outlived = 0;
    for (int i = 0; i < draws; ++i)
      outlived +=
          terms.lease_ns(LeaseTerms::draw(static_cast<std::uint32_t>(random()))) >= delay.count();
    const double survival = terms.survival(delay.count());
    // Binomial: six standard deviations, 2e-9 each.
    EXPECT_NEAR(outlived, draws * survival, 6 * std::sqrt(draws * survival * (1 - survival)) + 1e-9)
        << delay.count();
    // Steps of 1/16 octave of u at most from the formula.
    const double formula = std::fmin(1, std::pow(10e6 / static_cast<double>(delay.count()), 0.75));
    EXPECT_NEAR(survival / formula, 1, 1.0 / 16);
  }
}

TEST(LeaseTerms, EndAtTheLongest) {
  const LeaseTerms terms{{.shortest = 1ms, .tail = 1, .longest = 1s}};
  EXPECT_EQ(terms.lease_ns(LeaseTerms::draw(0)), to_ns(1s));
  EXPECT_NEAR(terms.survival(to_ns(1s)), 1e-3, 1e-4);
  EXPECT_EQ(terms.survival(-5), 1);
  EXPECT_GT(terms.survival(std::numeric_limits<std::int64_t>::max()), 0);
}

TEST(LeasedTable, GivesTheDelayToTheNanosecondOnce) {
  LeasedTable table{{.memory_bytes = 1024}};
  EXPECT_LE(table.request(7, start, 0), Admission::stored_for_a_while);
  EXPECT_EQ(table.request(7, start + 1ms, repeat_is_ambiguous), Admission::repeated);
  const auto match = table.response(7, start + 1'234'567ns);
  ASSERT_TRUE(match);
  EXPECT_EQ(match->delay, 1'234'567ns);
  EXPECT_EQ(match->weight, 1);
  EXPECT_TRUE(match->ambiguous);
  EXPECT_FALSE(table.response(7, start + 2s));
}

TEST(LeasedTable, ALeaseThatIsOverGivesNothingEvenIfItsSlotIsStillThere) {
  LeasedTable table{
      {.memory_bytes = 1 << 20, .lease = {.shortest = 10ms, .tail = 1, .longest = 10s}}};
  std::mt19937_64 random{1};
  double found = 0, weight = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t key = random();
    table.request(key, start, 0);
    if (const auto match = table.response(key, start + 100ms)) {
      ++found;
      weight += match->weight;
    }
  }
  EXPECT_NEAR(found, 1000, 6 * 31);
  EXPECT_NEAR(weight, 10'000, 6 * 310);
}

TEST(LeasedTable, TheAcceptedStandForTheRefused) {
  LeasedTable table{{.memory_bytes = 64 << 10, .lease = {.shortest = 1s, .longest = 10s}}};
  std::mt19937_64 random{1};
  double weight = 0;
  std::vector<std::uint64_t> keys(40'000);
  for (auto& key : keys) table.request(key = random(), start, 0);
  EXPECT_LE(40'000 - table.refused(), table.slot_count());
  for (const std::uint64_t key : keys)
    if (const auto match = table.response(key, start + 1ms)) weight += match->weight;
  EXPECT_GT(weight, table.slot_count());
  EXPECT_LT(weight, 40'000);  // no request was accepted after the last ones were refused
  // The first few of the later requests represent them too.
  for (int i = 1; i <= 40'000; ++i) {
    const Timestamp now = start + i * 250us;
    const std::uint64_t key = random();
    table.request(key, now, 0);
    if (const auto match = table.response(key, now + 1ms)) weight += match->weight;
  }
  EXPECT_NEAR(weight, 80'000, 800);
}

/// A response that comes before eight others were accepted has the same weight as others.
TEST(Acceptance, HandsOnEveryAttemptOnce) {
  std::mt19937_64 random{2};
  Acceptance acceptance;
  double stood_for = 0;
  constexpr int attempts = 100'000;
  for (int i = 0; i < attempts; ++i) {
    const bool accepted = random() % (i / 10'000 % 2 ? 20 : 3) == 0;  // the load changes
    acceptance.add(accepted);
    if (accepted) stood_for += static_cast<double>(acceptance.stands_for());
  }
  EXPECT_NEAR(stood_for / attempts, 1, 0.005);
}

TEST(LeasedTable, SurvivesAbsurdTimes) {
  LeasedTable table{{.memory_bytes = 1024}};
  std::mt19937_64 random{1};
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t key = random() % 64 * 0x9e3779b97f4a7c15u;
    const Timestamp time{Duration{static_cast<std::int64_t>(random())}};
    if (random() % 2)
      table.request(key, time, 0);
    else if (const auto match = table.response(key, time)) {
      EXPECT_GE(match->weight, 1);
    }
  }
}

}  // namespace
}  // namespace sojourn
