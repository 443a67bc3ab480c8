// As another program sees the library: only include/sojourn.

#include <gtest/gtest.h>
#include <sojourn/sojourn.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "library/test_capture.h"

namespace {

using namespace sojourn;

// Recorded at both ends of a path of 10 ms each way (tests/captures).
std::string first() { return test::folder() + "bulk.pcap.gz"; }
std::string last() { return test::folder() + "bulk.server.pcap.gz"; }

TEST(TwoPoints, FindsDelaysOfFlows) {
  auto points = TwoPoints::create({.filter = "tcp"});
  ASSERT_TRUE(points);
  ASSERT_TRUE(points->read(first(), last()));
  ASSERT_FALSE(points->flows().empty());
  for (const Flow& flow : points->flows()) {
    EXPECT_EQ(flow.protocol, 6);
    ASSERT_TRUE(flow.mean_ns);
    EXPECT_GE(std::abs(*flow.mean_ns), 10e6) << "the emulated delay, one way or the other";
  }
  EXPECT_GT(points->delays().samples(), 400u);
}

TEST(TwoPoints, MethodsHaveNames) {
  const auto methods = TwoPoints::methods();
  EXPECT_NE(std::ranges::find(methods, "exact"), methods.end());
  EXPECT_NE(std::ranges::find(methods, "multiflow"), methods.end());
  auto points = TwoPoints::create({.method = "multiflow"});
  ASSERT_TRUE(points);
  EXPECT_TRUE(points->read(first(), last()));
}

TEST(TwoPoints, RefusesInOneLine) {
  EXPECT_EQ(TwoPoints::create({.method = "guess"}).error(), "there is no method 'guess'");
  EXPECT_FALSE(TwoPoints::create({.sampling = 0}));
  EXPECT_FALSE(TwoPoints::create({.window_ns = -1}));
  auto points = TwoPoints::create({});
  EXPECT_FALSE(points->read("/nonexistent.pcap", last()));
  EXPECT_FALSE(points->read(first(), "/nonexistent.pcap"));
  auto unrelated = TwoPoints::create({});
  EXPECT_FALSE(unrelated->read(test::folder() + "ping.pcap", test::folder() + "dns.pcap"));
  EXPECT_FALSE(unrelated->finish()) << "it is finished";
}

TEST(TwoPoints, MeasuresPushedPackets) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  auto packets = test::packets_of(bytes);
  auto points = TwoPoints::create({});
  ASSERT_TRUE(points);
  points->push(Point::first, packets);
  for (Packet& packet : packets) packet.time_ns += 5'000'000;
  points->push(Point::last, packets);
  ASSERT_TRUE(points->finish());
  EXPECT_EQ(points->delays().quantile_ns(0.5), 5'000'000);
  EXPECT_EQ(points->lost(), 0u);
}

/// How many buckets of LDA the captures fill.  The seed says which packets go where.
std::uint64_t buckets_filled(std::uint64_t seed) {
  auto points = TwoPoints::create({.method = "lda", .seed = seed});
  EXPECT_TRUE(points);
  EXPECT_TRUE(points->read(first(), last()));
  for (const Count& count : points->counters())
    if (count.name == "buckets-undisturbed") return count.count;
  ADD_FAILURE() << "no count of buckets";
  return 0;
}

// Whoever sends packets must not know where they go, unless a result has to be repeated.
TEST(TwoPoints, TablesHaveTheGivenSeedOrARandomOne) {
  EXPECT_EQ(buckets_filled(1), buckets_filled(1));
  std::set<std::uint64_t> given, random;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    given.insert(buckets_filled(seed));
    random.insert(buckets_filled(0));  // that all eight are equal by chance will not happen
  }
  EXPECT_GT(given.size(), 1u);
  EXPECT_GT(random.size(), 1u);
}

}  // namespace
