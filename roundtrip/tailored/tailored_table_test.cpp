// Tailored leases: are they fair, and does each of their parts keep its promise?
//
// False alarms: 2e-10 a case of bias (test_bias.h); the seeds are fixed.

#include "roundtrip/tailored/tailored_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include "roundtrip/test_bias.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t memory =
    8 * 1024;  // about 1300 slots, where 5000 requests wait for half a second

const Stream& stream_of(const std::string& name) {
  static std::map<std::string, Stream> streams;
  auto& stream = streams[name];
  if (!stream.events.empty()) return stream;
  Traffic traffic;
  if (name == "unanswered") traffic = {.requests = 200'000, .answered = 0.13};
  if (name == "rising") traffic = {.rate_factor = 8};
  if (name == "bursts") traffic = {.burst_rate = 4, .burst_delay = 5};
  return stream = simulate(traffic, 20'261'115);
}

class TailoredTraffic : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Traffic, TailoredTraffic,
                         testing::Values("steady", "unanswered", "rising", "bursts"),
                         [](const auto& one) { return std::string{one.param}; });

TEST_P(TailoredTraffic, IsUnbiased) {
  const Bias bias =
      bias_of(stream_of(GetParam()), [] { return TailoredTable{{.memory_bytes = memory}}; });
  EXPECT_TRUE(bias.unbiased()) << bias.text();
}

/// Much too little, a little tight, and room for nearly all.
TEST_P(TailoredTraffic, IsUnbiasedWithWideLines) {
  for (const std::size_t bytes : {memory, 8 * memory, 32 * memory}) {
    const Bias bias =
        bias_of(stream_of(GetParam()), [&] { return WideTailoredTable{{.memory_bytes = bytes}}; });
    EXPECT_TRUE(bias.unbiased()) << bytes << ": " << bias.text();
  }
}

template <class Table>
class BothTailored : public testing::Test {};
using Lines = testing::Types<TailoredTable, WideTailoredTable>;
TYPED_TEST_SUITE(BothTailored, Lines);

/// The twins: weights spoilt as the function says, from what the table gave and its state of now.
template <class Table, class Spoil>
Bias spoilt(const Stream& stream, Spoil spoil) {
  return measure_bias(stream, [&](std::uint64_t seed, const auto& take) {
    Table table{{.memory_bytes = memory}};
    replay(stream, table, seed, [&](Match match) {
      match.weight = spoil(match.weight, table);
      take(match);
    });
  });
}

TYPED_TEST(BothTailored, ForgettingTheWaitIsNoticed) {
  const Bias bias = spoilt<TypeParam>(stream_of("steady"), [](double, const TypeParam& table) {
    return 1 / table.entry_probability();
  });
  EXPECT_FALSE(bias.unbiased()) << bias.text();
}

TYPED_TEST(BothTailored, WeightsThatAreTenPercentOffAreNoticed) {
  const Bias bias = spoilt<TypeParam>(stream_of("steady"),
                                      [](double weight, const TypeParam&) { return 1.1 * weight; });
  EXPECT_FALSE(bias.unbiased()) << bias.text();
}

/// All requests are of long-lived things, most of which live beyond the patience with the others.
Bias bias_of_long_lived(double spoilt_by) {
  const Stream& stream = stream_of("steady");
  return measure_bias(stream, [&](std::uint64_t seed, const auto& take) {
    WideTailoredTable table{
        {.memory_bytes = memory, .patience = {.expire = 5ms, .expire_long_lived = 10s}}};
    replay(
        stream, table, seed,
        [&](Match match) {
          match.weight *= spoilt_by;
          take(match);
        },
        long_lived);
    EXPECT_EQ(table.too_old(), 0u);
  });
}

TEST(WideTailored, LongLivesAreUnbiased) {
  const Bias bias = bias_of_long_lived(1);
  EXPECT_TRUE(bias.unbiased()) << bias.text();
  const Bias twin = bias_of_long_lived(1.1);
  EXPECT_FALSE(twin.unbiased()) << twin.text();
}

/// A time that is rounded down must not seem to be before the plan that the request met, not even
/// if it brought that plan about.
TEST(WideTailored, FindsThoseThatBringANewPlanAbout) {
  WideTailoredTable table{{.memory_bytes = std::size_t{256} << 10}};
  const HashKey hash_key = HashKey::from_seed(4);
  std::int64_t now_ns = 77;
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // the rate changes tenfold again and again
    now_ns += i / 2000 % 2 ? 1'000'003 : 10'000'019;
    const std::uint64_t key = keyed_hash(hash_key, i, 1);
    ASSERT_EQ(table.request(key, timestamp_from_ns(now_ns), long_lived), Admission::stored) << i;
    ASSERT_TRUE(table.response(key, timestamp_from_ns(now_ns + 100'000))) << i;
  }
}

/// 100 connections a second live for two minutes: 12 000 at a time in 57 344 slots, beside requests
/// that are never answered.
TEST(WideTailored, FindsLongLivesWhereThereIsRoom) {
  WideTailoredTable table{{.memory_bytes = std::size_t{512} << 10}};
  const HashKey hash_key = HashKey::from_seed(3);
  const std::int64_t life_ns = 120'000'000'000;
  int found = 0, asked = 0;
  double total = 0;
  for (std::int64_t i = 0; i < 60'000; ++i) {
    const std::int64_t now_ns = 1'700'000'000'000'000'000 + i * 10'000'000;
    for (std::uint64_t j = 0; j < 3; ++j)
      table.request(keyed_hash(hash_key, static_cast<std::uint64_t>(i), 10 + j),
                    timestamp_from_ns(now_ns), 0);
    table.request(keyed_hash(hash_key, static_cast<std::uint64_t>(i), 1), timestamp_from_ns(now_ns),
                  long_lived);
    if (i < 12'000) continue;
    ++asked;
    const auto match = table.response(
        keyed_hash(hash_key, static_cast<std::uint64_t>(i - 12'000), 1), timestamp_from_ns(now_ns));
    if (!match) continue;
    ++found;
    total += match->weight;
    ASSERT_NEAR(static_cast<double>(match->delay.count()), static_cast<double>(life_ns), 256);
  }
  EXPECT_GT(found, asked / 2);
  EXPECT_NEAR(total / asked, 1, 0.02);
  EXPECT_EQ(table.too_old(), 0u);
}

TEST(WideTailored, FindsAllToTheNanosecondWhereThereIsRoom) {
  const Stream stream =
      simulate({.requests = 20'000, .rate = 2'000}, 1);  // 10 s: 10 000 wait in vain at the end
  WideTailoredTable table{{.memory_bytes = 500'000}};    // 54 684 slots
  double total = 0;
  std::vector<std::int64_t> delays;
  replay(stream, table, 1, [&](const Match& match) {
    total += match.weight;
    delays.push_back(match.delay.count());
    EXPECT_LT(match.weight, 1.7);
  });
  const auto pairs = static_cast<double>(stream.delays_ns.size());
  EXPECT_GT(static_cast<double>(delays.size()), 0.99 * pairs);
  EXPECT_NEAR(total / pairs, 1, 0.01);
  std::ranges::sort(delays);
  EXPECT_TRUE(std::ranges::includes(stream.delays_ns, delays));
}

/// From room for all to a hundredth of it, half as much each time: what is found falls smoothly,
/// and the total stays right.
TEST(WideTailored, FindsLessAndLessWhereItGetsTight) {
  const Stream stream = simulate({.requests = 100'000, .rate = 10'000}, 1);
  const auto pairs = static_cast<double>(stream.delays_ns.size());
  double before = 1;
  for (std::size_t bytes = std::size_t{4} << 20; bytes >= std::size_t{16} << 10; bytes /= 2) {
    WideTailoredTable table{{.memory_bytes = bytes}};
    double total = 0, found = 0;
    replay(stream, table, 1, [&](const Match& match) {
      total += match.weight / pairs;
      found += 1 / pairs;
    });
    EXPECT_LE(found, before + 0.02) << bytes;
    EXPECT_GT(found, 0.4 * before) << bytes;
    EXPECT_NEAR(total, 1, 0.08) << bytes;
    before = found;
  }
  EXPECT_LT(before, 0.9);
}

TEST(Tailored, FindsNearlyAllWhereThereIsRoom) {
  const Stream stream = simulate({.requests = 20'000, .rate = 2'000}, 1);  // 10 s: 20 000 may wait
  TailoredTable table{{.memory_bytes = 250'000}};
  double total = 0;
  std::size_t samples = 0;
  replay(stream, table, 1, [&](const Match& match) {
    total += match.weight;
    ++samples;
  });
  const auto pairs = static_cast<double>(stream.delays_ns.size());
  EXPECT_GT(static_cast<double>(samples), 0.6 * pairs);
  EXPECT_NEAR(total / pairs, 1, 0.05);
}

TEST(Tailored, RoundsDelaysByFourPercentAtMost) {
  const Stream stream = simulate({}, 3);
  std::unordered_map<std::uint64_t, std::int64_t> sent;
  TailoredTable table{{.memory_bytes = memory}};
  std::size_t samples = 0;
  for (const StreamEvent& event : stream.events) {
    const std::uint64_t key = keyed_hash(HashKey::from_seed(5), event.id, 1);
    if (event.is_request) {
      sent[key] = event.ns;
      table.request(key, timestamp_from_ns(event.ns), 0);
    } else if (const auto match = table.response(key, timestamp_from_ns(event.ns))) {
      const auto truth = static_cast<double>(event.ns - sent[key]);
      ASSERT_NEAR(static_cast<double>(match->delay.count()) / truth, 1, 0.045) << truth;
      ++samples;
    }
  }
  EXPECT_GT(samples, 1000u);
}

TYPED_TEST(BothTailored, RecognisesRepeats) {
  TypeParam table{{.memory_bytes = memory}};
  EXPECT_EQ(table.request(42, Timestamp{}, repeat_is_ambiguous), Admission::stored);
  EXPECT_EQ(table.request(42, Timestamp{1ms}, repeat_is_ambiguous), Admission::repeated);
  const auto match = table.response(42, Timestamp{30ms});
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->ambiguous);
  EXPECT_FALSE(table.response(42, Timestamp{31ms}));
}

TEST(WaitLine, KnowsTheAgeOverManyWraps) {
  // A short wait wraps after 524 us; looked at again after hours, it must be over and not young.
  for (const std::int64_t later_ns : {524'288ll, 1'000'000ll, 1'048'576ll, 50'000'000ll,
                                      3'600'000'000'000ll, 10'000'000'000'000ll}) {
    WaitLine line{};
    line.look(12'345);
    line.put(3, {.step = 2, .fingerprint = 0x2bcde, .stands_for = 1}, 12'345);
    line.look(12'345 + 1000);
    ASSERT_TRUE(line.may_hold(3, 0x2bcde));
    EXPECT_EQ(line.at(3, 12'345 + 1000).age_ns, 1000);
    line.look(12'345 + later_ns);
    EXPECT_TRUE(line.is_free(3)) << later_ns;
  }
}

TEST(WaitLine, StartsAtAnyTime) {
  for (std::int64_t hour = 0; hour < 12; ++hour) {
    const std::int64_t start = 1'700'000'000'000'000'000 + hour * 3'600'000'000'000 / 2;
    WaitLine line{};
    line.look(start);
    line.put(0, {.step = 2, .fingerprint = 0x2bcde, .stands_for = 1}, start);
    line.look(start + 1'048'576);  // two wraps later
    EXPECT_TRUE(line.is_free(0)) << hour;
  }
}

TEST(WaitLine, KeepsWhatWaits) {
  for (unsigned step = 1; step < WaitSteps::count; ++step) {
    WaitLine line{};
    const std::int64_t start = 987'654'321'012'345;
    line.look(start);
    line.put(9, {.step = step, .fingerprint = 0x1a5a5, .stands_for = 6}, start);
    const std::int64_t wait = WaitSteps::longest_ns(step);
    for (std::int64_t age = 0; age < wait * 99 / 100; age += wait / 7 + 1) {
      line.look(start + age);
      ASSERT_TRUE(line.may_hold(9, 0x1a5a5)) << step << " " << age;
      EXPECT_NEAR(static_cast<double>(line.at(9, start + age).age_ns), static_cast<double>(age),
                  std::fmax(static_cast<double>(wait) * 0x1p-16, 4) + 1);
      EXPECT_EQ(line.at(9, start + age).stands_for, 6u);
    }
    line.look(start + wait + wait / 50 + 10);
    EXPECT_TRUE(line.is_free(9)) << step;
  }
}

TEST(StandsFor, IsRightOnAverage) {
  StandsFor ratio;
  for (int i = 0; i < 1000; ++i) ratio.add(i % 3 == 0);  // 3 attempts an accept
  double sum = 0;
  constexpr int n = 4096;
  for (std::uint32_t i = 0; i < n; ++i) sum += StandsFor::value(ratio.draw(i << 20));
  EXPECT_NEAR(sum / n, ratio.now(), 0.01);  // the coins are evenly spread: no chance in it
  EXPECT_NEAR(ratio.now(), 3, 0.1);
}

TEST(LeasePlan, DrawsWhatItSays) {
  std::array<double, WaitSteps::count> chances{};
  chances[0] = 1;
  for (unsigned j = 1; j < WaitSteps::count; ++j) chances[j] = std::exp2(-0.25 * j);
  const LeasePlan plan{chances};
  for (unsigned j = 1; j < WaitSteps::count; ++j) {
    const auto below = static_cast<std::uint32_t>(plan.chance(j) * 0x1p32);
    EXPECT_GE(plan.step_of(below - 1), j);
    EXPECT_LT(plan.step_of(below), j);
  }
}

TEST(LeasePlan, IsScaledToTheMeanWait) {
  const LeaseTailor tailor{10s};
  const auto chances = scaled_to(tailor.shape(0), 5e6);
  double wait = 0;
  for (unsigned j = 1; j < WaitSteps::count; ++j)
    wait += chances[j] * static_cast<double>(WaitSteps::longest_ns(j) -
                                             (j > 1 ? WaitSteps::longest_ns(j - 1) : 0));
  EXPECT_NEAR(wait, 5e6, 1e3);
}

/// Of the slot-seconds that the shape costs, those beyond `limit`.
double share_beyond(const LeaseTailor& tailor, Duration limit) {
  const auto shape = tailor.shape(60'000'000'000);
  double all = 0, beyond = 0;
  for (unsigned j = 1; j < WaitSteps::count; ++j) {
    const double cost =
        shape[j] * static_cast<double>(WaitSteps::longest_ns(j) - WaitSteps::longest_ns(j - 1));
    all += cost;
    if (WaitSteps::longest_ns(j) > to_ns(limit)) beyond += cost;
  }
  return beyond / all;
}

/// 4000 delays with median 30 ms, all but one in a thousand below 360 ms, and `stragglers` of 1.5 s
/// that weigh 4 together.
LeaseTailor with_stragglers(int stragglers) {
  LeaseTailor tailor{10s};
  for (int i = 1; i < 4000;
       ++i) {  // no chance in it: quantiles of a logistic distribution of log(delay)
    const double q = i / 4000.0;
    tailor.add(static_cast<std::int64_t>(30e6 * std::pow(q / (1 - q), 0.36)), 1);
  }
  for (int i = 0; i < stragglers; ++i) tailor.add(1'500'000'000, 4.0 / stragglers);
  return tailor;
}

TEST(LeaseTailor, OneStragglerIsBelievedLessThanEight) {
  const double none = share_beyond(with_stragglers(0), 600ms),
               one = share_beyond(with_stragglers(1), 600ms),
               eight = share_beyond(with_stragglers(8), 600ms);
  EXPECT_GT(one, none);
  EXPECT_GT(eight, 1.03 * one);
  EXPECT_LT(one, 0.45);
}

}  // namespace
}  // namespace sojourn
