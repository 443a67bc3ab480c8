#include "estimate/distribution/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

struct WeightedDelay {
  std::int64_t ns;
  double weight;
  friend auto operator<=>(const WeightedDelay&, const WeightedDelay&) = default;
};

/// The definition, literally: each sample in the middle of its own weight, linear between.
double quantile_by_definition(const std::vector<WeightedDelay>& sorted, double q) {
  std::vector<double> middle;
  double before = 0;
  for (const auto& sample : sorted) {
    middle.push_back(before + sample.weight / 2);
    before += sample.weight;
  }
  const double target = middle.front() + q * (middle.back() - middle.front());
  std::size_t i = 0;
  while (i + 1 < sorted.size() && middle[i + 1] < target) ++i;
  if (i + 1 == sorted.size()) return static_cast<double>(sorted[i].ns);
  const double from = static_cast<double>(sorted[i].ns), to = static_cast<double>(sorted[i + 1].ns);
  const double share = (target - middle[i]) / (middle[i + 1] - middle[i]);
  return from + std::clamp(share, 0.0, 1.0) * (to - from);
}

enum class Shape { spread, ties, negative, one_bucket };
enum class Weights { ones, some, all };

std::vector<WeightedDelay> draw(std::size_t count, Shape shape, Weights weights,
                                std::mt19937_64& random) {
  std::lognormal_distribution<double> path{std::log(20e6), 1.5};
  std::vector<WeightedDelay> samples;
  for (std::size_t i = 0; i < count; ++i) {
    auto ns = static_cast<std::int64_t>(path(random));
    if (shape == Shape::ties) ns = ns / 10'000'000 * 10'000'000;
    if (shape == Shape::negative) ns -= 20'000'000;
    if (shape == Shape::one_bucket) ns = 100'000'000 + static_cast<std::int64_t>(random() % 1000);
    const bool one = weights == Weights::ones || (weights == Weights::some && i < count / 2);
    samples.push_back({ns, one ? 1.0 : std::exp(static_cast<double>(random() % 3000) / 1000)});
  }
  return samples;
}

Distribution of(const std::vector<WeightedDelay>& samples, Keep keep) {
  Distribution distribution{keep};
  for (const auto& [ns, weight] : samples) distribution.add(Duration{ns}, weight);
  return distribution;
}

constexpr std::array qs = {0.0, 0.001, 0.05, 0.25, 1.0 / 3, 0.5, 0.75, 0.95, 0.99, 0.999, 1.0};

/// Around each size at which the distribution changes its representation.
constexpr std::array<std::size_t, 8> sizes = {1, 2, 3, 10, 255, 256, 257, 5000};

class Quantiles : public testing::TestWithParam<std::tuple<Shape, Weights>> {
 protected:
  std::vector<WeightedDelay> samples(std::size_t size) const {
    std::mt19937_64 random{test_seed() + size};
    return draw(size, std::get<0>(GetParam()), std::get<1>(GetParam()), random);
  }
};

void expect_exact(std::vector<WeightedDelay> samples) {
  const auto distribution = of(samples, Keep::every_sample);
  EXPECT_EQ(distribution.relative_error(), 0);
  const auto found = distribution.quantiles(qs);
  std::ranges::sort(samples);
  for (std::size_t i = 0; i < qs.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i].count()), quantile_by_definition(samples, qs[i]), 0.51)
        << "q " << qs[i] << " of " << samples.size() << ", seed " << test_seed();
}

TEST_P(Quantiles, AreExactToTheNanosecondWhenEverySampleIsKept) {
  for (const std::size_t size : sizes) expect_exact(samples(size));
}

TEST_P(Quantiles, AreWithinTheStatedErrorWhenNot) {
  for (const std::size_t size : sizes) {
    auto drawn = samples(size);
    const auto distribution = of(drawn, Keep::histogram);
    EXPECT_EQ(distribution.relative_error() > 0, size > Distribution::few_samples);
    std::ranges::sort(drawn);
    // The delay is between the samples half a sample before and behind.
    const double half =
        std::ranges::max(drawn, {}, &WeightedDelay::weight).weight / distribution.total_weight();
    for (const double q : qs) {
      const double low = quantile_by_definition(drawn, std::max(0.0, q - half - 1e-12));
      const double high = quantile_by_definition(drawn, std::min(1.0, q + half + 1e-12));
      const double error = distribution.relative_error();
      const double found = static_cast<double>(distribution.quantile(q)->count());
      EXPECT_GE(found, low - error * std::abs(low) - 1)
          << "q " << q << " of " << size << ", seed " << test_seed();
      EXPECT_LE(found, high + error * std::abs(high) + 1)
          << "q " << q << " of " << size << ", seed " << test_seed();
    }
  }
}

TEST_P(Quantiles, DoNotDependOnHowTheSamplesWereSplit) {
  for (const std::size_t size : sizes) {
    const auto drawn = samples(size);
    for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
      Distribution whole{keep};
      std::array<Distribution, 3> parts{Distribution{keep}, Distribution{keep}, Distribution{keep}};
      for (std::size_t i = 0; i < size; ++i) {
        whole.add(Duration{drawn[i].ns}, drawn[i].weight, FlowTag::numbered(i));
        parts[i % 7 / 3].add(Duration{drawn[i].ns}, drawn[i].weight, FlowTag::numbered(i));
      }
      Distribution joined{keep};
      for (const auto& part : parts) joined.merge(part);

      EXPECT_EQ(joined.count(), whole.count());
      EXPECT_EQ(joined.min(), whole.min());
      EXPECT_EQ(joined.max(), whole.max());
      EXPECT_NEAR(joined.total_weight(), whole.total_weight(), 1e-9 * whole.total_weight());
      EXPECT_NEAR(joined.effective_samples(), whole.effective_samples(),
                  1e-9 * whole.effective_samples());
      EXPECT_NEAR(static_cast<double>(joined.mean()->count()),
                  static_cast<double>(whole.mean()->count()), 1);
      EXPECT_EQ(joined.relative_error(), whole.relative_error());
      for (const double q : qs)
        EXPECT_NEAR(static_cast<double>(joined.quantile(q)->count()),
                    static_cast<double>(whole.quantile(q)->count()), 1)
            << "q " << q << " of " << size << ", seed " << test_seed();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Quantiles,
                         testing::Combine(testing::Values(Shape::spread, Shape::ties,
                                                          Shape::negative, Shape::one_bucket),
                                          testing::Values(Weights::ones, Weights::some,
                                                          Weights::all)));

TEST(Distribution, IsExactAcrossSeveralBlocksOfSamples) {
  std::mt19937_64 random{test_seed()};
  expect_exact(draw(200'000, Shape::spread, Weights::ones, random));
  expect_exact(draw(200'000, Shape::spread, Weights::some, random));
}

TEST(Distribution, ManyAtOnceAreAsOneByOne) {
  std::mt19937_64 random{test_seed()};
  std::vector<std::int64_t> delays(5000);
  std::vector<FlowTag> flows;
  for (std::int64_t& ns : delays) {
    ns = static_cast<std::int64_t>(random() % 100'000'000);
    flows.push_back(FlowTag::numbered(random() % 100));
  }
  for (const Keep keep : {Keep::every_sample, Keep::histogram})
    for (const std::size_t piece : {7u, 128u, 1000u}) {
      Distribution one_by_one{keep}, at_once{keep};
      for (std::size_t i = 0; i < delays.size(); ++i)
        one_by_one.add(Duration{delays[i]}, 1, flows[i]);
      for (std::size_t i = 0; i < delays.size(); i += piece) {
        const std::size_t size = std::min(piece, delays.size() - i);
        at_once.add_all(std::span{delays}.subspan(i, size), std::span{flows}.subspan(i, size));
      }
      EXPECT_EQ(at_once.count(), one_by_one.count());
      EXPECT_EQ(at_once.mean(), one_by_one.mean());
      EXPECT_EQ(at_once.effective_samples(), one_by_one.effective_samples());
      for (const double q : {0.05, 0.5, 0.95})
        EXPECT_EQ(at_once.quantile(q), one_by_one.quantile(q)) << piece;
    }
}

/// Up to `few_samples` one by one, then a histogram of more than one piece.
TEST(Distribution, ManyWithWeightsAtOnceAreAsOneByOne) {
  std::mt19937_64 random{test_seed()};
  for (const Keep keep : {Keep::histogram, Keep::every_sample}) {
    Distribution single{keep}, together{keep};
    std::vector<std::int64_t> delays;
    std::vector<double> weights;
    std::vector<FlowTag> flows;
    for (int i = 0; i < 1000; ++i) {
      delays.push_back(static_cast<std::int64_t>(random() % 1'000'000) - 1000);
      weights.push_back(1 + static_cast<double>(random() % 64) / 16);  // sums without rounding
      flows.push_back(FlowTag::numbered(random() % 100 + 1));
      single.add(Duration{delays.back()}, weights.back(), flows.back());
    }
    const auto all = [&](auto& list) { return std::span{std::as_const(list)}; };
    together.add_all(all(delays).first(100), all(weights).first(100), all(flows).first(100));
    together.add_all(all(delays).subspan(100), all(weights).subspan(100), all(flows).subspan(100));
    EXPECT_EQ(together.count(), single.count());
    EXPECT_EQ(together.total_weight(), single.total_weight());
    EXPECT_EQ(together.effective_samples(), single.effective_samples());
    EXPECT_EQ(together.flows().flows, single.flows().flows);
    EXPECT_EQ(together.min(), single.min());
    EXPECT_EQ(together.max(), single.max());
    EXPECT_EQ(together.mean(), single.mean());
    for (const double q : {0.0, 0.1, 0.5, 0.95, 1.0}) {
      EXPECT_EQ(together.quantile(q), single.quantile(q)) << q;
      EXPECT_EQ(together.interval(q)->low, single.interval(q)->low) << q;
      EXPECT_EQ(together.interval(q)->high, single.interval(q)->high) << q;
    }
  }
}

TEST(Distribution, IsEmptyAtFirst) {
  const Distribution distribution;
  EXPECT_EQ(distribution.count(), 0u);
  EXPECT_EQ(distribution.effective_samples(), 0);
  EXPECT_FALSE(distribution.min() || distribution.max() || distribution.mean() ||
               distribution.quantile(0.5));
  EXPECT_FALSE(distribution.interval(0.5) || distribution.mean_interval());
  EXPECT_TRUE(distribution.cdf().empty());
  EXPECT_EQ(distribution.fraction_up_to(1ms), 0);
}

TEST(Distribution, TheMedianOfThreeIsTheMiddleOneAndOfTwoTheMiddleBetweenThem) {
  for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
    Distribution distribution{keep};
    distribution.add(769ns);
    EXPECT_EQ(distribution.quantile(0.5), 769ns);
    distribution.add(478ns);
    EXPECT_EQ(distribution.quantile(0.5), 624ns);  // 623.5, rounded
    distribution.add(544ns);
    EXPECT_EQ(distribution.quantile(0.5), 544ns);
    EXPECT_EQ(distribution.quantile(0), 478ns);
    EXPECT_EQ(distribution.quantile(1), 769ns);
  }
}

// numpy.quantile(range(1, 11), ...) and R's quantile(1:10, ...) by default.
TEST(Distribution, QuantilesOfEqualWeightsAreThoseThatOtherToolsHave) {
  Distribution distribution;
  for (int i = 1; i <= 10; ++i) distribution.add(i * 1ms);
  EXPECT_EQ(distribution.quantile(0.25), 3250us);
  EXPECT_EQ(distribution.quantile(0.5), 5500us);
  EXPECT_EQ(distribution.quantile(0.95), 9550us);
  EXPECT_EQ(distribution.quantile(0.99), 9910us);
}

TEST(Distribution, AQuantileOfWeightedSamplesGoesByTheMiddlesOfTheirWeights) {
  Distribution distribution;
  distribution.add(10ms, 1);
  distribution.add(20ms, 3);
  distribution.add(40ms, 4);
  // Middles at 0.5, 2.5 and 6: the median is at 3.25, three fourteenths from 20 to 40 ms.
  EXPECT_NEAR(static_cast<double>(distribution.quantile(0.5)->count()), 20e6 + 20e6 * 0.75 / 3.5,
              1);
}

TEST(Distribution, IntervalsOfAHistogramIncludeItsRounding) {
  Distribution distribution{Keep::histogram};
  for (int i = 0; i < 10'000; ++i) distribution.add(100ms, 1.5);
  distribution.add(1ms, 1.5);
  distribution.add(900ms, 1.5);
  for (const double q : {0.05, 0.5, 0.95}) {
    const auto interval = *distribution.interval(q);
    EXPECT_LE(interval.low, 100ms) << q;
    EXPECT_GE(interval.high, 100ms) << q;
    EXPECT_GT(interval.low, 99ms) << q;
    EXPECT_LT(interval.high, 101ms) << q;
  }
}

TEST(Distribution, IntervalsOfAHistogramHoldValuesThatAreToldOften) {
  for (const Duration lower :
       {Duration{10ms}, Duration{19'700us}}) {  // far away, and two buckets away
    Distribution distribution{Keep::histogram};
    for (int i = 0; i < 10'000; ++i) distribution.add(i < 4'990 ? lower : Duration{20ms}, 1.5);
    distribution.add(1ms, 1.5);
    distribution.add(900ms, 1.5);
    const auto interval = *distribution.interval(0.5);
    EXPECT_LE(interval.low, lower) << lower.count();
    EXPECT_GE(interval.high, 20ms) << lower.count();
    EXPECT_GT(interval.low, 99 * lower / 100) << lower.count();
    EXPECT_LT(interval.high, 20'200us) << lower.count();
  }
}

// Weights are relative.  Powers of two change no digit, so the intervals are equal to the last one.
TEST(Distribution, IntervalsOfTheMeanDoNotDependOnTheUnitOfTheWeights) {
  std::mt19937_64 random{test_seed()};
  for (const std::size_t size : {Distribution::few_samples, 4 * Distribution::few_samples}) {
    const auto samples = draw(size, Shape::spread, Weights::all, random);
    const Interval interval = *of(samples, Keep::histogram).mean_interval();
    for (const double unit : {1.0 / 1024, 1024.0}) {
      auto scaled = samples;
      for (WeightedDelay& sample : scaled) sample.weight *= unit;
      const Interval found = *of(scaled, Keep::histogram).mean_interval();
      EXPECT_EQ(found.low, interval.low) << size << ", unit " << unit << ", seed " << test_seed();
      EXPECT_EQ(found.high, interval.high) << size << ", unit " << unit << ", seed " << test_seed();
    }
  }
}

TEST(Distribution, AValueMostSamplesShareIsTheMedian) {
  Distribution distribution;
  distribution.add(5ms);
  for (int i = 0; i < 89; ++i) distribution.add(10ms);
  for (int i = 0; i < 10; ++i) distribution.add(20ms);
  EXPECT_EQ(distribution.quantile(0.5), 10ms);
  EXPECT_EQ(distribution.quantile(0.91), 20ms);  // sample 91.09 of 100
}

TEST(Distribution, KeepsNegativeAndExtremeDelays) {
  for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
    Distribution distribution{keep};
    for (int i = 0; i < 1000; ++i) distribution.add(-3ms);
    for (int i = 0; i < 1000; ++i) distribution.add(1ms);
    EXPECT_EQ(distribution.min(), -3ms);
    EXPECT_EQ(distribution.mean(), -1ms);
    EXPECT_NEAR(static_cast<double>(distribution.quantile(0.25)->count()), -3e6, 3e6 / 128);
    distribution.add(Duration::min());
    distribution.add(Duration::max());
    EXPECT_EQ(distribution.quantile(0), Duration::min());
    EXPECT_EQ(distribution.quantile(1), Duration::max());
    EXPECT_TRUE(distribution.interval(0.999));
  }
}

TEST(Distribution, SumsDoNotLoseDigits) {
  // Plain doubles lose the small summands here: 2^53 ns is three months.
  Distribution plain, weighted;
  constexpr std::int64_t large = (std::int64_t{1} << 60) + 12'345'677;
  for (int i = 0; i < 1'000'000; ++i) {
    plain.add(Duration{large + i % 2});
    weighted.add(Duration{i % 2}, i % 2 == 0 ? 1e10 : 0.1);
  }
  EXPECT_NEAR(static_cast<double>(plain.mean()->count() - large), 0.5,
              129);  // one bit of a double at 2^60 is 128
  EXPECT_NEAR(weighted.total_weight(), 500'000 * (1e10 + 0.1), 1.0);
}

TEST(Distribution, EffectiveSamplesCountWeightsAndFlowsRatherThanPackets) {
  Distribution weighted;
  weighted.add(1ms, 1);
  weighted.add(2ms, 3);
  EXPECT_EQ(weighted.mean(), 1750us);
  EXPECT_LT(weighted.effective_samples(), 2);

  // 64 flows, each with 100 equal delays: equivalent to 64 samples, within the precision of 32
  // groups.
  std::mt19937_64 random{test_seed()};
  for (const Keep keep : {Keep::every_sample, Keep::histogram}) {
    Distribution alike{keep}, independent{keep};
    for (std::uint64_t flow = 0; flow < 64; ++flow) {
      const Duration delay{1'000'000 + static_cast<std::int64_t>(random() % 100'000'000)};
      for (int i = 0; i < 100; ++i) {
        alike.add(delay, 1, FlowTag::numbered(flow));
        independent.add(Duration{1'000'000 + static_cast<std::int64_t>(random() % 100'000'000)});
      }
    }
    EXPECT_GT(alike.effective_samples(), 25);
    EXPECT_LT(alike.effective_samples(), 160);
    EXPECT_NEAR(alike.flows().flows, 64, 3);
    EXPECT_NEAR(independent.effective_samples(), 6400, 3200);
  }
}

TEST(Distribution, FewFlowsDoNotBoundAQuantileHoweverManySamplesTheyGive) {
  std::mt19937_64 random{test_seed()};
  Distribution distribution;
  for (int i = 0; i < 10'000; ++i)
    distribution.add(1ms + Duration{static_cast<std::int64_t>(random() % 1'000'000)}, 1,
                     FlowTag::numbered(static_cast<std::uint64_t>(i % 5)));
  const auto median = *distribution.interval(0.5);
  EXPECT_FALSE(median.bounded_below || median.bounded_above);
  EXPECT_EQ(median.why, Unbounded::too_few_flows);
  EXPECT_EQ(distribution.mean_interval()->why, Unbounded::too_few_flows);
}

TEST(Distribution, DrawsItsCdfFromZeroToOne) {
  std::mt19937_64 random{test_seed()};
  const auto distribution = of(draw(10'000, Shape::spread, Weights::all, random), Keep::histogram);
  const auto points = distribution.cdf();
  EXPECT_EQ(points.front().fraction, 0);
  EXPECT_EQ(points.front().delay, distribution.min());
  EXPECT_EQ(points.back().fraction, 1);
  EXPECT_EQ(points.back().delay, distribution.max());
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &CdfPoint::delay));
  EXPECT_TRUE(std::ranges::is_sorted(points, {}, &CdfPoint::fraction));
  for (const double q : {0.1, 0.5, 0.9})
    EXPECT_NEAR(distribution.fraction_up_to(*distribution.quantile(q)), q, 0.001)
        << "seed " << test_seed();
}

TEST(Distribution, SaysWhenTooFewSamplesBoundAQuantile) {
  Distribution distribution;
  for (int i = 1; i <= 20; ++i) distribution.add(i * 1ms);
  const auto p99 = *distribution.interval(0.99);
  EXPECT_FALSE(p99.bounded_above);  // one sample in five such sets lies above the true p99
  EXPECT_TRUE(p99.bounded_below);
  EXPECT_EQ(p99.high, 20ms);
  // Order statistics 6 and 15 of 20 enclose the median with 95.9 % (David and Nagaraja,
  // section 7.1); for 95 % a little less will do.
  const auto median = *distribution.interval(0.5);
  EXPECT_TRUE(median.bounded());
  EXPECT_GE(median.low, 6ms);
  EXPECT_LE(median.low, 7ms);
  EXPECT_GE(median.high, 14ms);
  EXPECT_LE(median.high, 15ms);
}

}  // namespace
}  // namespace sojourn
