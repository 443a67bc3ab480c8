// Delays added up in the kernel are those that it would hand over one by one, without bias.
#include "pipeline/kernel_histograms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "dataplane/kernel/log_bin.h"
#include "dataplane/sample_weight.h"
#include "dataplane/test_datagram.h"
#include "dataplane/test_user_program.h"
#include "dataplane/weight_factors.h"

namespace sojourn {
namespace {

using test::Datagram;

constexpr std::uint64_t everyone = std::uint64_t{1} << 32;
constexpr std::uint32_t requests = 20'000;

dp_config config_of(std::uint64_t seed, bool histograms) {
  DataplaneOptions options;
  options.table_bytes = 192 * sizeof(dp_slot);
  options.fridges = 1;
  options.seed = seed;
  options.replay = true;
  options.histograms = histograms;
  return make_config(options);
}

/// 20 000 queries 1 us apart; the n-th is answered after 50 or 800 others, in a table of 192: of
/// the latter one in seventy is kept.
UserProgram run(const dp_config& config, std::uint64_t enter_below) {
  UserProgram program{config};
  program.control().enter_below = program.control().look_below = enter_below;
  std::multimap<std::int64_t, std::uint32_t> due;
  for (std::uint32_t i = 0; i < requests; ++i) {
    const std::int64_t now = 1'000 * (static_cast<std::int64_t>(i) + 1);
    for (auto next = due.begin(); next != due.end() && next->first <= now; next = due.begin()) {
      program.process(Datagram{next->second, true}.at(next->first));
      due.erase(next);
    }
    program.process(Datagram{i, false}.at(now));
    due.emplace(now + (i % 4 == 0 ? 800'500 : 50'500), i);
  }
  for (const auto& [time, number] : due) program.process(Datagram{number, true}.at(time));
  return program;
}

Distribution dns_of(const UserProgram& program, const dp_config& config) {
  return distribution_of(program.histograms(), config, Kind::dns, Leg::server);
}

double squares_of(const Distribution& distribution) {
  double sum = 0;
  for (const auto& bucket : distribution.snapshot({}).buckets) sum += bucket.squared_weight;
  return sum;
}

TEST(KernelHistograms, BinsAreTheBucketsOfDistributions) {
  std::mt19937_64 random{1};
  for (int bit = 0; bit < 63; ++bit)
    for (int i = 0; i < 200; ++i) {
      const auto delay = static_cast<std::int64_t>((std::uint64_t{1} << bit) |
                                                   (random() & ((std::uint64_t{1} << bit) - 1)));
      EXPECT_EQ(static_cast<std::int32_t>(dp_bin_of(delay)), LogBuckets::index_of(delay)) << delay;
    }
  EXPECT_EQ(dp_bin_of(0), 0u);
  EXPECT_EQ(dp_bin_of(-5), 0u);
}

TEST(KernelHistograms, EveryKindAndLegHasItsOwn) {
  const dp_config config = config_of(1, true);
  std::vector<int> used(histogram_count(config));
  for (std::size_t kind = 0; kind < paired_kind_count; ++kind)
    for (std::size_t leg = 0; leg < leg_count; ++leg)
      if (const auto number =
              histogram_number(config, static_cast<Kind>(kind), static_cast<Leg>(leg)))
        ++used.at(*number);
  EXPECT_EQ(std::ranges::count(used, 1), 10);  // tcp 2, handshake 3, tcp-ts 2, dns, ntp, icmp
  EXPECT_EQ(used.size(), 10u);
  EXPECT_EQ(histogram_count(config_of(1, false)), 0u);
  EXPECT_EQ(histogram_number(config, Kind::quic, Leg::server), std::nullopt);
}

/// Half a step of 1.01 and half a place, which is 1/128 of the age in the exponent.
TEST(KernelHistograms, FactorsAreNeverFarFromTheWeight) {
  for (const std::size_t bytes : {std::size_t{6'144}, std::size_t{8} << 20}) {
    DataplaneOptions options;
    options.table_bytes = bytes;
    options.histograms = true;
    const dp_config config = make_config(options);
    const dp_factors factors = weight_factors(config);
    const SampleWeight weight{config};
    EXPECT_EQ(factors.factor[0], static_cast<unsigned>(DP_WEIGHT_ONE));
    for (std::uint32_t age = 0; age <= DP_AGE_MASK; age += 1 + age / 100) {
      const auto exact = weight.of(age, 0);
      const std::uint32_t factor = factors.factor[dp_factor_place(age)];
      const double lives = exact ? std::log(*exact) : SampleWeight::max_lives;
      if (lives > SampleWeight::max_lives * 0.98) continue;  // the limit may lie within a place
      EXPECT_NEAR(std::log(factor / double{DP_WEIGHT_ONE}), lives, 0.008 + lives / 128) << age;
    }
    EXPECT_EQ(factors.factor[DP_FACTORS - 1], 0u) << "too old";
  }
}

/// The same packets, both outputs: the same samples lie in the same buckets, and weigh the same
/// within the rounding of the factors.
TEST(KernelHistograms, HoldWhatSamplesWouldGive) {
  for (const std::uint64_t enter_below : {everyone, everyone / 3 * 2, everyone / 16}) {
    const dp_config config = config_of(7, true), plain = config_of(7, false);
    const UserProgram counted = run(config, enter_below);
    UserProgram handed_over = run(plain, enter_below);
    EXPECT_TRUE(const_cast<UserProgram&>(counted).samples().empty());
    const SampleWeight weight{plain};
    Distribution expected{Keep::histogram};
    std::uint64_t too_old = 0;
    for (const dp_sample& sample : handed_over.samples()) {
      const auto w = weight.of(sample);
      if (w)
        expected.add(Duration{sample.delay_ns}, *w);
      else
        ++too_old;
    }
    const Distribution found = dns_of(counted, config);
    ASSERT_GT(found.count(), 300u);
    EXPECT_EQ(found.count() + counted.counters().too_old, expected.count() + too_old);
    EXPECT_NEAR(found.total_weight() / expected.total_weight(), 1, 0.01);
    EXPECT_NEAR(squares_of(found) / squares_of(expected), 1, 0.02);
    // Groups of flows are chosen by another hash, so how far they differ is another draw.
    EXPECT_NEAR(std::log(found.effective_samples() / expected.effective_samples()), 0, 0.7);
    for (const double q : {0.1, 0.5, 0.9}) {
      const double found_ns = static_cast<double>(found.quantile(q)->count());
      EXPECT_NEAR(found_ns / static_cast<double>(expected.quantile(q)->count()), 1, 1.0 / 128) << q;
    }
    // Every query has a host of its own.
    EXPECT_GT(found.flows().flows, 0.8 * static_cast<double>(expected.count()));
    EXPECT_TRUE(found.interval(0.5)->bounded());
  }
}

/// Mean over seeds of the sum of weights by the truth: 1 within a t interval of five standard
/// errors, a false alarm in some 10^5 runs.  The twins, with the factors or 1/p left out, lie
/// outside.
TEST(KernelHistograms, SumToTheNumberOfPairsAndFactorsLeftOutWouldBeNoticed) {
  constexpr int seeds = 40;
  for (const std::uint64_t enter_below : {everyone, everyone / 3}) {
    double slow_twin = 0, all_twin = 0;
    std::array<double, 2> mean{}, square{};  // all pairs, slow pairs
    for (int seed = 0; seed < seeds; ++seed) {
      const dp_config config = config_of(static_cast<std::uint64_t>(seed), true);
      const UserProgram program = run(config, enter_below);
      const Distribution found = dns_of(program, config);
      const double all = found.total_weight() / requests;
      const double slow = (1 - found.fraction_up_to(Duration{200'000})) * all * 4;
      const std::array<double, 2> both{all, slow};
      for (std::size_t i = 0; i < 2; ++i) {
        mean[i] += both[i] / seeds;
        square[i] += both[i] * both[i] / seeds;
      }
      double slow_samples = 0;
      for (std::size_t i = 0; i < config.bins; ++i)
        if (LogBuckets::lowest(static_cast<std::int32_t>(i)) > 200'000)
          slow_samples += static_cast<double>(
              program.histograms()
                  .bins[*histogram_number(config, Kind::dns, Leg::server) * config.bins + i]
                  .samples);
      all_twin += static_cast<double>(found.count()) / requests / seeds;
      slow_twin += slow_samples / (requests / 4.0) / seeds;
    }
    for (std::size_t i = 0; i < 2; ++i) {
      const double error =
          5 * std::sqrt(std::max(square[i] - mean[i] * mean[i], 0.0) / (seeds - 1));
      EXPECT_NEAR(mean[i], 1, error);
      EXPECT_LT(error, 0.25) << "the test would see nothing";
      EXPECT_LT(i == 0 ? all_twin : slow_twin, 1 - 2 * error) << "factors left out go unnoticed";
    }
  }
}

/// p may change between a request and its answer: what counts is the p that let it in.
TEST(KernelHistograms, WeighByTheProbabilityThatLetThemIn) {
  const dp_config config = config_of(3, true);
  UserProgram program{config};
  program.control().enter_below = everyone / 4;
  program.control().look_below = everyone;
  for (std::uint32_t i = 0; i < 40; ++i) program.process(Datagram{i, false}.at(1'000));
  program.control().enter_below = everyone;
  for (std::uint32_t i = 0; i < 40; ++i) program.process(Datagram{i, true}.at(2'000'000));
  const Distribution found = dns_of(program, config);
  ASSERT_GT(found.count(), 0u);
  EXPECT_NEAR(found.total_weight() / static_cast<double>(found.count()), 4, 0.4);
}

/// Karn's rule: they are counted by weight, and are no delays unless somebody wants them.
TEST(KernelHistograms, LeaveOutWhatIsAmbiguous) {
  for (const bool keep : {false, true}) {
    dp_config config = config_of(3, true);
    config.keep_ambiguous = keep;
    UserProgram program{config};
    for (const std::int64_t time : {1'000, 500'000})
      for (std::uint32_t i = 0; i < 10; ++i) program.process(Datagram{i, false}.at(time));
    for (std::uint32_t i = 0; i < 10; ++i) program.process(Datagram{i, true}.at(2'000'000));
    EXPECT_NEAR(static_cast<double>(program.counters().ambiguous[DP_DNS]) / DP_WEIGHT_ONE, 10, 2);
    EXPECT_EQ(dns_of(program, config).count() > 0, keep);
  }
}

}  // namespace
}  // namespace sojourn
