#include "estimate/distribution/sample_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace sojourn {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, double>>;

SampleLog log_of(const Pairs& samples) {
  SampleLog log;
  for (const auto& [ns, weight] : samples) {
    if (log.full()) log.grow();
    log.append(ns, weight);
  }
  return log;
}

Pairs contents(const SampleLog& log) {
  Pairs samples;
  log.for_each([&](std::int64_t ns, double weight) { samples.emplace_back(ns, weight); });
  return samples;
}

Pairs counting(std::int64_t from, std::int64_t count, std::int64_t weighted_from) {
  Pairs samples;
  for (std::int64_t i = from; i < from + count; ++i)
    samples.emplace_back(i, i < weighted_from ? 1.0 : 1.5);
  return samples;
}

TEST(SampleLog, ReturnsWhatWasAppendedInOrder) {
  for (const std::int64_t count : {0, 1, 5, 256, 257, 65'536, 65'537, 800'000}) {
    const Pairs samples = counting(0, count, 100);
    const SampleLog log = log_of(samples);
    EXPECT_EQ(log.size(), samples.size());
    EXPECT_TRUE(contents(log) == samples) << count;
  }
}

TEST(SampleLog, JoinsBlocksOfAnyFillAndStaysAsItWasItself) {
  for (const std::int64_t left_count : {0, 3, 300, 70'000}) {
    for (const std::int64_t right_count : {0, 3, 300, 70'000}) {
      const Pairs left = counting(0, left_count, 200),
                  right = counting(1'000'000, right_count, 1'000'100);
      SampleLog joined = log_of(left);
      SampleLog other = log_of(right);
      joined.append_all(other);
      if (other.full()) other.grow();
      other.append(7, 1);  // must not appear in the joined list

      Pairs expected = left;
      expected.insert(expected.end(), right.begin(), right.end());
      Pairs found = contents(joined);
      std::ranges::sort(found);
      EXPECT_EQ(joined.size(), expected.size());
      EXPECT_TRUE(found == expected) << left_count << " and " << right_count;
    }
  }
}

/// Large blocks hold 32 bits a sample until a delay does not fit.
TEST(SampleLog, KeepsDelaysThatDoNotFitInto32Bits) {
  constexpr std::int64_t beyond = std::int64_t{1} << 32;
  for (const std::int64_t strange :
       {beyond - 1, beyond, beyond + 5, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    for (const std::size_t place : {std::size_t{3}, std::size_t{256}, std::size_t{1000},
                                    std::size_t{65'536}, std::size_t{299'999}}) {
      Pairs samples = counting(0, 300'000, 400'000);
      samples[place].first = strange;
      EXPECT_TRUE(contents(log_of(samples)) == samples) << strange << " at " << place;
      samples[place].second = 2.5;
      EXPECT_TRUE(contents(log_of(samples)) == samples) << strange << " at " << place;
    }
  }
}

TEST(SampleLog, AppendsManyAtOnceAsOneByOne) {
  constexpr std::int64_t beyond = std::int64_t{1} << 32;
  for (const std::size_t strange : {std::size_t{0}, std::size_t{300}, std::size_t{70'001}}) {
    std::vector<std::int64_t> delays(100'000);
    std::iota(delays.begin(), delays.end(), std::int64_t{7});
    if (strange > 0) delays[strange] = beyond + 3;
    SampleLog log;
    for (std::span<const std::int64_t> rest{delays}; !rest.empty();) {
      if (log.full()) log.grow();
      const auto some = rest.first(std::min({rest.size(), log.room(), std::size_t{77}}));
      log.append_plain(some);
      rest = rest.subspan(some.size());
    }
    EXPECT_EQ(log.size(), delays.size());
    std::vector<std::int64_t> found;
    log.for_each([&](std::int64_t ns, double weight) {
      EXPECT_EQ(weight, 1);
      found.push_back(ns);
    });
    EXPECT_TRUE(found == delays) << strange;
  }
}

TEST(SampleLog, WhatWasJoinedStaysWhenTheOtherMeetsALongDelay) {
  const Pairs samples = counting(0, 1000, 2000);
  SampleLog other = log_of(samples), joined;
  joined.append_all(other);
  if (other.full()) other.grow();
  other.append(std::int64_t{1} << 40, 1);
  other.append(5, 1);
  EXPECT_TRUE(contents(joined) == samples);

  Pairs longer = samples;
  longer.insert(longer.end(), {{std::int64_t{1} << 40, 1.0}, {5, 1.0}});
  EXPECT_TRUE(contents(other) == longer);
}

}  // namespace
}  // namespace sojourn
