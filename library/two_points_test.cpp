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
    EXPECT_GE(flow.backward ? -*flow.mean_ns : *flow.mean_ns, 10e6) << "the emulated delay";
  }
  EXPECT_EQ(std::ranges::count(points->flows(), true, &Flow::backward) * 2,
            static_cast<std::ptrdiff_t>(points->flows().size()));
  EXPECT_GT(points->delays().samples(), 400u);
  EXPECT_GE(points->delays().min_ns(), 9'000'000);
  EXPECT_GT(points->backward_delays().samples(), 400u);
  EXPECT_GE(points->backward_delays().min_ns(), 9'000'000);
  EXPECT_GE(points->backward_sent(), points->backward_delays().samples());
  EXPECT_TRUE(points->backward_lost());
}

TEST(TwoPoints, MethodsHaveNames) {
  const auto methods = TwoPoints::methods();
  EXPECT_NE(std::ranges::find(methods, "exact"), methods.end());
  EXPECT_NE(std::ranges::find(methods, "multiflow"), methods.end());
  auto points = TwoPoints::create({.method = "multiflow"});
  ASSERT_TRUE(points);
  EXPECT_TRUE(points->read(first(), last()));
  EXPECT_EQ(TwoPoints::create({.method = "rli-queue"}).error(),
            "method rli-queue needs the capacity of the link");
  EXPECT_TRUE(
      TwoPoints::create({.method = "rli-queue", .capacity_bits_per_second = 1'000'000'000}));
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
  ASSERT_TRUE(points->push(Point::first, packets));
  for (Packet& packet : packets) packet.time_ns += 5'000'000;
  ASSERT_TRUE(points->push(Point::last, packets));
  ASSERT_TRUE(points->finish());
  EXPECT_TRUE(points->warnings().empty());
  EXPECT_EQ(points->delays().quantile_ns(0.5), 5'000'000);
  EXPECT_EQ(points->lost(), 0u);
}

TEST(TwoPoints, PushedPacketsAreFilteredAndCounted) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto points = TwoPoints::create({.filter = "icmp[icmptype] = icmp-echo"});
  ASSERT_TRUE(points);
  for (const Point point : {Point::first, Point::last}) ASSERT_TRUE(points->push(point, packets));
  ASSERT_TRUE(points->finish());
  const auto skipped = points->skipped(Point::first);
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_EQ(skipped[0].name, "filtered");
  EXPECT_GT(skipped[0].count, 10u);
  EXPECT_EQ(points->sent(), packets.size() - skipped[0].count);
  EXPECT_EQ(points->skipped(Point::last).size(), 1u);
  EXPECT_TRUE(points->skipped(static_cast<Point>(2)).empty());

  const auto wrong = TwoPoints::create({.filter = "icmp or ("});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(wrong.error().starts_with("filter 'icmp or ('")) << wrong.error();
}

TEST(TwoPoints, HasOneSourceOfPackets) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto reads = TwoPoints::create({});
  ASSERT_TRUE(reads && reads->read(first(), last()));
  const auto after_read = reads->push(Point::first, packets);
  ASSERT_FALSE(after_read);
  EXPECT_EQ(after_read.error(), "this measurement is finished");

  auto pushes = TwoPoints::create({});
  ASSERT_TRUE(pushes && pushes->push(Point::first, packets));
  const auto elsewhere = pushes->push(static_cast<Point>(2), packets);
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error(), "there is no such point");
  const auto read = pushes->read(first(), last());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error(), "this measurement is of pushed packets already");
  ASSERT_TRUE(pushes->push(Point::last, packets) && pushes->finish());
  EXPECT_FALSE(pushes->push(Point::last, packets));
  EXPECT_FALSE(pushes->finish());
}

/// Whether one of the lines has these words.
bool say(const std::vector<std::string>& lines, const std::string& words) {
  return std::ranges::any_of(
      lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

TEST(TwoPoints, SaysWhatIsDoubtful) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  auto packets = test::packets_of(bytes);
  auto swapped = TwoPoints::create({.filter = "icmp[icmptype] = icmp-echo"});
  ASSERT_TRUE(swapped && swapped->push(Point::last, packets));
  for (Packet& packet : packets) packet.time_ns += 5'000'000;
  ASSERT_TRUE(swapped->push(Point::first, packets) && swapped->finish());
  EXPECT_TRUE(say(swapped->warnings(), "the points seem to be swapped"));
  EXPECT_FALSE(say(swapped->warnings(), "--")) << "no option of the program";

  auto few = TwoPoints::create({});
  ASSERT_TRUE(few && few->push(Point::first, packets));
  const auto half = packets.size() / 2;
  ASSERT_TRUE(few->push(Point::last, std::span{packets}.first(10)));
  for (Packet& packet : std::span{packets}.subspan(half)) packet.time_ns += 3'600'000'000'000;
  ASSERT_TRUE(few->push(Point::last, std::span{packets}.subspan(half)) && few->finish());
  EXPECT_TRUE(say(few->warnings(), "packets were found at both points"));
  EXPECT_FALSE(say(few->warnings(), "dated before"));

  auto steps = TwoPoints::create({});
  std::swap(packets[2].time_ns, packets.back().time_ns);
  ASSERT_TRUE(steps && steps->push(Point::first, packets) && steps->push(Point::last, packets));
  ASSERT_TRUE(steps->finish());
  EXPECT_TRUE(say(steps->warnings(), "first point: "));
  EXPECT_TRUE(say(steps->warnings(), "dated before the packet in front of them"));

  auto sketches = TwoPoints::create({.method = "lda"});
  ASSERT_TRUE(sketches && sketches->read(first(), last()));
  EXPECT_TRUE(say(sketches->warnings(), "packets go both ways between the points"));

  auto references = TwoPoints::create({.method = "rli"});
  const auto measured = references->read(first(), last());
  ASSERT_FALSE(measured);
  EXPECT_TRUE(measured.error().starts_with("the last point saw no reference packets"));
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
