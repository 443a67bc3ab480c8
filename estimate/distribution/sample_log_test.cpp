#include "estimate/distribution/sample_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

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

}  // namespace
}  // namespace sojourn
