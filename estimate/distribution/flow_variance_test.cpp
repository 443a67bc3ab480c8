#include "estimate/distribution/flow_variance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "estimate/distribution/test_seed.h"

namespace sojourn {
namespace {

struct One {
  std::int64_t ns;
  FlowTag flow;
  double weight;
  std::int32_t cell() const { return FlowGroups::cell_of(LogBuckets::index_of(ns)); }
};

FlowVariance variance_of(const std::vector<One>& samples) {
  LogHistogram histogram;
  FlowGroups groups;
  for (const One& one : samples) {
    histogram.add(one.ns, one.weight);
    groups.add(LogBuckets::index_of(one.ns), one.flow, one.weight);
  }
  return {histogram, groups};
}

/// The formulas of flow_variance.h, implemented sample by sample.
class Definition {
 public:
  explicit Definition(const std::vector<One>& samples) : samples_(samples) {
    std::set<std::int32_t> cells;
    double square = 0;
    for (const One& one : samples) {
      cells.insert(one.cell());
      weight_ += one.weight;
      square += one.weight * one.weight;
      of_group_[one.flow.group()] += one.weight;
    }
    double apart = 0;
    for (const double group : of_group_) apart += std::pow(group - weight_ / 32, 2);
    const double of_constant_flows = 32.0 / 31 * apart / square;
    edges_.emplace_back(0, of_constant_flows);
    for (const std::int32_t cell : cells)
      if (cell != *cells.rbegin()) edges_.push_back(edge_at(cell));
    edges_.emplace_back(1, of_constant_flows);
  }

  double at(double q) const {
    std::size_t i = 1;
    while (edges_[i].first < q) ++i;
    const auto& [f0, e0] = edges_[i - 1];
    const auto& [f1, e1] = edges_[i];
    return std::lerp(e0, e1, (q - f0) / (f1 - f0));
  }
  double effect(double q) const {
    const double middle = (at(0.2) + at(0.35) + at(0.5) + at(0.65) + at(0.8)) / 5;
    const double greater = std::max(at(q), middle);
    return greater < FlowVariance::by_chance ? 1 : greater;
  }
  double greatest() const {
    const double most = std::max({at(0.1), at(0.25), at(0.5), at(0.75), at(0.9)});
    return most < 2 * FlowVariance::by_chance - 1 ? 1 : most;
  }
  double degrees() const {
    double squares = 0;
    for (const double group : of_group_) squares += group * group;
    return weight_ * weight_ / squares - 1;
  }

 private:
  std::pair<double, double> edge_at(std::int32_t cell) const {
    std::vector<double> below(32);
    double up_to = 0, squares_below = 0, squares_above = 0;
    for (const One& one : samples_) {
      if (one.cell() <= cell) {
        below[one.flow.group()] += one.weight;
        up_to += one.weight;
      }
      (one.cell() <= cell ? squares_below : squares_above) += one.weight * one.weight;
    }
    const double f = up_to / weight_;
    double of_flows = 0;
    for (std::size_t g = 0; g < 32; ++g)
      of_flows +=
          std::pow((below[g] - f * of_group_[g]) * jackknife_factor(of_group_[g] / weight_), 2);
    const double of_samples = (1 - f) * (1 - f) * squares_below + f * f * squares_above;
    return {f, 32.0 / 31 * of_flows / of_samples};
  }

  std::vector<One> samples_;
  double weight_ = 0;
  std::vector<double> of_group_ = std::vector<double>(32);
  std::vector<std::pair<double, double>> edges_;  ///< F and the effect there
};

/// Flows of very different sizes, whose delays differ more than those within a flow.
std::vector<One> flows_that_differ(bool weighted) {
  std::mt19937_64 random{test_seed()};
  std::lognormal_distribution<double> centre{14, 0.5}, around{0, 0.1};
  std::vector<One> samples;
  for (std::uint64_t flow = 1; flow <= 60; ++flow) {
    const double delay = centre(random);
    for (std::uint64_t i = 0; i < 20 + 10 * flow; ++i)
      samples.push_back({static_cast<std::int64_t>(delay * around(random)), FlowTag::numbered(flow),
                         weighted ? 1.0 + static_cast<double>(random() % 3) : 1.0});
  }
  return samples;
}

TEST(FlowVariance, IsWhatItsFormulasSay) {
  for (const bool weighted : {false, true}) {
    const auto samples = flows_that_differ(weighted);
    const FlowVariance variance = variance_of(samples);
    const Definition definition{samples};
    for (const double q : {0.0, 0.01, 0.2, 0.5, 0.77, 0.99, 1.0})
      EXPECT_NEAR(variance.effect(q) / definition.effect(q), 1, 1e-9) << q;
    EXPECT_NEAR(variance.greatest_effect() / definition.greatest(), 1, 1e-9);
    EXPECT_NEAR(variance.degrees() / definition.degrees(), 1, 1e-9);
    EXPECT_GT(definition.effect(0.5), 5) << "else the test shows little";
  }
}

TEST(FlowVariance, SamplesThatAreFlowsOfTheirOwnHaveNoEffect) {
  std::mt19937_64 random{test_seed()};
  std::vector<One> samples;
  for (std::uint64_t i = 1; i <= 5'000; ++i)
    samples.push_back(
        {static_cast<std::int64_t>(1'000'000 + random() % 1'000'000), FlowTag::numbered(i), 1.0});
  const FlowVariance variance = variance_of(samples);
  EXPECT_EQ(variance.effect(0.5), 1) << "seed " << test_seed();
  EXPECT_EQ(variance.effect_on_mean(0), 1) << "nothing to compare with";
  EXPECT_FALSE(variance.too_few_flows());
}

TEST(FlowVariance, OfTheMeanComparesGroupsWithSamples) {
  // Two groups of 100 samples, at 1 ms and at 3 ms: with few flows none is left out, so z = +-100
  // ms and V = 32/31 * 2 * (100 ms)^2 / 200^2.
  std::vector<One> samples;
  const FlowTag one = FlowTag::numbered(1), other = FlowTag::numbered(2);
  ASSERT_NE(one.group(), other.group());
  for (int i = 0; i < 100; ++i) {
    samples.push_back({1'000'000, one, 1});
    samples.push_back({3'000'000, other, 1});
  }
  const FlowVariance variance = variance_of(samples);
  EXPECT_TRUE(variance.too_few_flows());
  const double of_samples = 1e12 / 200;
  const double expected = 32.0 / 31 * 2 * std::pow(100 * 1e6, 2) / (200.0 * 200) / of_samples;
  EXPECT_NEAR(variance.effect_on_mean(of_samples) / expected, 1, 0.05) << "cells are 3 % wide";
  EXPECT_EQ(variance.effect_on_mean(1e18), 1);
  EXPECT_NEAR(variance.degrees(), 1, 1e-9) << "two equal groups, less one";
}

TEST(JackknifeFactor, LeavesOutWhatAGroupHasOfTheMean) {
  EXPECT_EQ(jackknife_factor(0), 1);
  EXPECT_EQ(jackknife_factor(1.0 / 32), 1);
  EXPECT_NEAR(jackknife_factor(0.5), (1 - 1.0 / 32) / 0.5, 1e-12);
  EXPECT_EQ(jackknife_factor(0.95), jackknife_factor(1)) << "bounded";
  EXPECT_LT(jackknife_factor(1), 10);
}

/// Counts of two bytes are added to the sums before they overflow.
TEST(FlowGroups, CountsMoreSamplesOfAGroupThanTwoBytesHold) {
  FlowGroups groups;
  const FlowTag one = FlowTag::numbered(1), other = FlowTag::numbered(2);
  ASSERT_NE(one.group(), other.group());
  const std::vector<std::int32_t> buckets(150'001, LogBuckets::index_of(1'000'000));
  std::vector<FlowTag> flows(buckets.size(), one);
  flows.back() = other;
  groups.add_all(buckets, flows);
  groups.add(buckets[0], other, 0.5);
  int cells = 0;
  groups.for_each([&](std::int32_t cell, const FlowGroups::Row& row) {
    ++cells;
    EXPECT_EQ(cell, FlowGroups::cell_of(buckets[0]));
    EXPECT_EQ(row[one.group()], 150'000);
    EXPECT_EQ(row[other.group()], 1.5);
  });
  EXPECT_EQ(cells, 1);
  FlowGroups both;
  both.merge(groups);
  both.merge(groups);
  both.for_each(
      [&](std::int32_t, const FlowGroups::Row& row) { EXPECT_EQ(row[one.group()], 300'000); });
}

}  // namespace
}  // namespace sojourn
