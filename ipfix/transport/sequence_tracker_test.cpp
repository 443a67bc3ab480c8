#include "ipfix/transport/sequence_tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace sojourn::ipfix {
namespace {

TEST(SequenceTracker, CountsWhatIsMissingAndForgivesWhatComesLate) {
  SequenceTracker tracker;
  EXPECT_EQ(tracker.take(1000, 5, true).missing, 0);  // the first is taken as it comes
  EXPECT_EQ(tracker.take(1005, 5, true).missing, 0);
  EXPECT_EQ(tracker.take(1020, 5, true).missing, 10);
  EXPECT_EQ(tracker.take(1013, 4, true).missing, -4);  // out of the middle of the gap
  EXPECT_TRUE(tracker.take(1013, 4, true).repeated);
  EXPECT_EQ(tracker.take(1010, 3, true).missing, -3);
  EXPECT_EQ(tracker.take(1017, 3, true).missing, -3);
  EXPECT_EQ(tracker.take(1025, 1, true).missing, 0);
}

TEST(SequenceTracker, AMessageTwiceIsRepeated) {
  SequenceTracker tracker;
  tracker.take(0, 5, true);
  EXPECT_TRUE(tracker.take(0, 5, true).repeated);
  EXPECT_FALSE(tracker.take(5, 5, true).repeated);
  EXPECT_FALSE(tracker.take(10, 0, true).repeated);  // templates alone count nothing
}

TEST(SequenceTracker, CountsOverTheEndOf32Bits) {
  SequenceTracker tracker;
  tracker.take(0xffff'fff0u, 0x10, true);
  EXPECT_EQ(tracker.take(0, 1, true).missing, 0);
  EXPECT_EQ(tracker.take(4, 1, true).missing, 3);
}

TEST(SequenceTracker, WhatCouldNotBeCountedIsNotMissing) {
  SequenceTracker tracker;
  tracker.take(0, 0, false);  // a set without its template: nobody knows how many
  EXPECT_EQ(tracker.take(7, 3, true).missing, 0);
  EXPECT_EQ(tracker.take(12, 1, true).missing, 2);
}

TEST(SequenceTracker, ANewCountIsNoGap) {
  SequenceTracker tracker;
  tracker.take(0x7000'0000, 5, true);
  EXPECT_EQ(tracker.take(0, 5, true).missing, 0);
  EXPECT_EQ(tracker.take(5, 5, true).missing, 0);
}

/// Whatever is lost, doubled and exchanged with a neighbour, the sums come out.
TEST(SequenceTracker, SumsComeOut) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937 random{seed};
    SequenceTracker tracker;
    struct Sent {
      std::uint32_t sequence, records;
    };
    std::vector<Sent> stream{{0, 1}};
    std::uint32_t next = 1;
    std::int64_t lost = 0, doubled = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto records = static_cast<std::uint32_t>(1 + random() % 20);
      const auto luck = random() % 20;
      if (luck == 0)
        lost += records;
      else
        stream.push_back({next, records});
      if (luck == 1) {
        stream.push_back({next, records});
        ++doubled;
      }
      next += records;
    }
    stream.push_back({next, 1});
    for (std::size_t i = 2; i + 2 < stream.size(); i += 7) std::swap(stream[i], stream[i + 1]);
    std::int64_t missing = 0, repeated = 0;
    for (const Sent& sent : stream) {
      const auto verdict = tracker.take(sent.sequence, sent.records, true);
      missing += verdict.missing;
      repeated += verdict.repeated;
    }
    EXPECT_EQ(missing, lost) << "seed " << seed;
    EXPECT_EQ(repeated, doubled) << "seed " << seed;
  }
}

}  // namespace
}  // namespace sojourn::ipfix
