// Tailored leases: whether they are unbiased, and whether each part does what it promises.
//
// False alarms: 2e-10 per test of bias (test_bias.h); the seeds are fixed.

#include "roundtrip/tailored/tailored_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include "roundtrip/table_batch.h"
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

/// From the 48 lines of `--memory 4KiB` to room for nearly all.  With fewer, a sudden burst
/// sometimes closes all of them, and requests that come then have no chance.
TEST_P(TailoredTraffic, IsUnbiasedAtEverySize) {
  for (const std::size_t kib : {3u, 64u, 256u}) {
    const Bias bias =
        bias_of(stream_of(GetParam()), [&] { return TailoredTable{{.memory_bytes = kib * 1024}}; });
    EXPECT_TRUE(bias.unbiased()) << kib << " KiB: " << bias.text();
  }
}

/// What the accepted requests of a table of 64 lines represent, divided by all attempts, over many
/// draws of the keys: 1 if the acceptance probability is known.  `by_the_past` uses attempts by
/// accepts of the last 32 to 64 accepts instead of the currently open lines, as this table once
/// did.
struct Acceptance {
  double mean = 0, error = 0;
};
Acceptance acceptance_at_four_kib(bool by_the_past) {
  const Stream stream = simulate({.requests = 60'000, .rate = 20'000, .answered = 0}, 20'261'115);
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < test_seeds; ++seed) {
    TailoredTable table{{.memory_bytes = 4096}};
    const HashKey hash_key = HashKey::from_seed(seed);
    double attempts = 0, accepts = 0, ratio = 1, tried = 0, stood_for = 0;
    for (const StreamEvent& event : stream.events) {
      const double now = table.stands_for();
      const Admission admission =
          table.request(keyed_hash(hash_key, event.id, 1), timestamp_from_ns(event.ns), 0);
      if (admission == Admission::by_chance || admission == Admission::repeated) continue;
      tried += 1;
      attempts += 1;
      if (admission == Admission::no_room) continue;
      stood_for += by_the_past ? ratio : now;
      accepts += 1;
      ratio = attempts / accepts;
      if (accepts >= 64) attempts /= 2, accepts /= 2;
    }
    sum += stood_for / tried - 1;
    squares += (stood_for / tried - 1) * (stood_for / tried - 1);
  }
  const double mean = sum / test_seeds;
  return {1 + mean, std::sqrt((squares / test_seeds - mean * mean) / (test_seeds - 1))};
}

/// In a table of few lines the current probability differs from that of just before.
/// False alarms and misses: 6 and 8 standard errors, of some 64 runs.
TEST(Tailored, FourKibibytesKnowTheirChanceAndThePastDoesNot) {
  const Acceptance open = acceptance_at_four_kib(false);
  EXPECT_LT(std::fabs(open.mean - 1), 6 * open.error) << open.mean << " error " << open.error;
  EXPECT_LT(open.error, 0.002);
  const Acceptance past = acceptance_at_four_kib(true);
  EXPECT_GT(std::fabs(past.mean - 1), 8 * past.error) << past.mean << " error " << past.error;
}

/// 200 requests, 50 us apart, answered after 1 or 20 ms.  After 64 of them the rate is known, and
/// the plan admits few; those of the first 64 that wait 20 ms are waiting then.
std::vector<PairEvent> sudden_start(std::uint64_t seed) {
  const HashKey hash_key = HashKey::from_seed(seed);
  std::vector<PairEvent> events;
  for (std::uint64_t i = 0; i < 200; ++i)
    for (const bool is_request : {true, false})
      events.push_back(
          {keyed_hash(hash_key, i, 1),
           timestamp_from_ns(static_cast<std::int64_t>(i) * 50'000 + (is_request ? 0
                                                                      : i % 2    ? 20'000'000
                                                                                 : 1'000'000)),
           static_cast<std::uint16_t>(i),
           {},
           Kind::dns,
           Leg::server,
           is_request,
           0});
  std::ranges::stable_sort(events, {}, &PairEvent::time);
  return events;
}

/// Once they were dropped: 0.3 % of the pairs of a capture of 20 000 requests, all of one of 64.
/// False alarms: 5 standard errors of 2000 runs, 6e-7.
TEST(Tailored, TheFirstRequestsAreNeitherDroppedNorUncounted) {
  constexpr int runs = 2000;
  double sum = 0, squares = 0;
  BatchOutcome outcome;
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto events = sudden_start(seed);
    TailoredTable table{{.memory_bytes = 3072}};
    apply_batch(table, std::span<const PairEvent>{events}, outcome);
    double first = 0;
    for (const EventMatch& found : outcome.matches())
      if (found.event->summary < 64) first += found.match.weight / 64;
    sum += first;
    squares += first * first;
    ASSERT_LT(table.entry_probability(), 0.25) << "there would be nothing to drop";
    // All are answered, so each was found or left out.
    ASSERT_EQ(outcome.requests(Kind::dns),
              outcome.matches().size() + outcome.left_out(Kind::dns).total())
        << seed;
  }
  const double mean = sum / runs, error = std::sqrt((squares / runs - mean * mean) / (runs - 1));
  EXPECT_LT(std::fabs(mean - 1), 5 * error) << mean << " error " << error;
  EXPECT_LT(error, 0.05) << "a loss of half of them would not be noticed";
}

/// Before the rate is known as well as afterwards.
TEST(Tailored, WhatFitsIsNotGivenUp) {
  std::vector<PairEvent> events;
  for (std::uint64_t i = 0; i < 200; ++i)
    events.push_back({keyed_hash(HashKey::from_seed(1), i, 1),
                      timestamp_from_ns(static_cast<std::int64_t>(i) * 10'000'000),
                      0,
                      {},
                      Kind::dns,
                      Leg::server,
                      true,
                      0});
  TailoredTable table{{.memory_bytes = 65'536}};
  BatchOutcome outcome;
  apply_batch(table, std::span<const PairEvent>{events}, outcome);
  EXPECT_EQ(outcome.requests(Kind::dns), 200u);
  EXPECT_EQ(outcome.left_out(Kind::dns).total(), 0u);
}

/// The twins: weights changed by the function, from the table's weight and its current state.
template <class Spoil>
Bias spoilt(const Stream& stream, Spoil spoil) {
  return measure_bias(stream, [&](std::uint64_t seed, const auto& take) {
    TailoredTable table{{.memory_bytes = memory}};
    replay(stream, table, seed, [&](Match match) {
      match.weight = spoil(match.weight, table);
      take(match);
    });
  });
}

TEST(Tailored, ForgettingTheWaitIsNoticed) {
  const Bias bias = spoilt(stream_of("steady"), [](double, const TailoredTable& table) {
    return 1 / table.entry_probability();
  });
  EXPECT_FALSE(bias.unbiased()) << bias.text();
}

TEST(Tailored, WeightsThatAreTenPercentOffAreNoticed) {
  const Bias bias =
      spoilt(stream_of("steady"), [](double weight, const TailoredTable&) { return 1.1 * weight; });
  EXPECT_FALSE(bias.unbiased()) << bias.text();
}

/// All requests are long-lived, and most of them live beyond the timeout of the others.
Bias bias_of_long_lived(double spoilt_by) {
  const Stream& stream = stream_of("steady");
  return measure_bias(stream, [&](std::uint64_t seed, const auto& take) {
    TailoredTable table{
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

TEST(Tailored, LongLivesAreUnbiased) {
  const Bias bias = bias_of_long_lived(1);
  EXPECT_TRUE(bias.unbiased()) << bias.text();
  const Bias twin = bias_of_long_lived(1.1);
  EXPECT_FALSE(twin.unbiased()) << twin.text();
}

/// A time that is rounded down must not seem to be before the plan of the request, not even if the
/// request triggered that plan.
TEST(Tailored, FindsThoseThatBringANewPlanAbout) {
  TailoredTable table{{.memory_bytes = std::size_t{256} << 10}};
  const HashKey hash_key = HashKey::from_seed(4);
  std::int64_t now_ns = 77;
  for (std::uint64_t i = 0; i < 20'000; ++i) {  // the rate changes tenfold again and again
    now_ns += i / 2000 % 2 ? 1'000'003 : 10'000'019;
    const std::uint64_t key = keyed_hash(hash_key, i, 1);
    ASSERT_LE(table.request(key, timestamp_from_ns(now_ns), long_lived),
              Admission::stored_for_a_while)
        << i;
    ASSERT_TRUE(table.response(key, timestamp_from_ns(now_ns + 100'000))) << i;
  }
}

/// 100 connections a second live for two minutes: 12 000 at a time in 57 344 slots, beside requests
/// that are never answered.
TEST(Tailored, FindsLongLivesWhereThereIsRoom) {
  TailoredTable table{{.memory_bytes = std::size_t{512} << 10}};
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
    ASSERT_NEAR(static_cast<double>(match->delay.count()), static_cast<double>(life_ns),
                120e9 / 256);
  }
  EXPECT_GT(found, asked / 2);
  EXPECT_NEAR(total / asked, 1, 0.02);
  EXPECT_EQ(table.too_old(), 0u);
}

TEST(Tailored, FindsAllToTheNanosecondWhereThereIsRoom) {
  const Stream stream =
      simulate({.requests = 20'000, .rate = 2'000}, 1);  // 10 s: 10 000 wait unanswered at the end
  TailoredTable table{{.memory_bytes = 500'000}};        // 54 684 slots
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

/// From room for all to a hundredth of it, halved each time: the number found decreases smoothly,
/// and the total stays right.
TEST(Tailored, FindsLessAndLessWhereItGetsTight) {
  const Stream stream = simulate({.requests = 100'000, .rate = 10'000}, 1);
  const auto pairs = static_cast<double>(stream.delays_ns.size());
  double before = 1;
  for (std::size_t bytes = std::size_t{4} << 20; bytes >= std::size_t{16} << 10; bytes /= 2) {
    TailoredTable table{{.memory_bytes = bytes}};
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

TEST(Tailored, RoundsDelaysByFourInAThousandAtMost) {
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
      ASSERT_NEAR(static_cast<double>(match->delay.count()), truth, truth / 250 + 512) << truth;
      ++samples;
    }
  }
  EXPECT_GT(samples, 1000u);
}

TEST(Tailored, RecognisesRepeats) {
  TailoredTable table{{.memory_bytes = memory}};
  EXPECT_EQ(table.request(42, Timestamp{}, repeat_is_ambiguous), Admission::stored);
  EXPECT_EQ(table.request(42, Timestamp{1ms}, repeat_is_ambiguous), Admission::repeated);
  const auto match = table.response(42, Timestamp{30ms});
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->ambiguous);
  EXPECT_FALSE(table.response(42, Timestamp{31ms}));
}

TEST(StandsFor, IsRightOnAverage) {
  for (const double wanted : {1.0, 1.01, 1.3, 2.0, 3.0, 47.0, 64.0, 1000.0}) {
    double sum = 0;
    constexpr int n = 65'536;  // the coins are evenly spaced: no randomness
    for (std::uint32_t i = 0; i < n; ++i) {
      const unsigned code = StandsFor::draw(wanted, i << 16);
      ASSERT_NE(code, StandsFor::ambiguous);
      sum += StandsFor::value(code);
    }
    EXPECT_NEAR(sum / n, wanted, wanted * 1e-3);
  }
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

/// The share of the slot-seconds of the shape that lies beyond `limit`.
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

/// 4000 delays with median 30 ms, all but one in a thousand below 360 ms, and `stragglers` delays
/// of 1.5 s with a total weight of 4.
LeaseTailor with_stragglers(int stragglers) {
  LeaseTailor tailor{10s};
  for (int i = 1; i < 4000;
       ++i) {  // no randomness: quantiles of a logistic distribution of log(delay)
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
