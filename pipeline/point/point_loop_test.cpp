#include "pipeline/point/point_loop.h"

#include <gtest/gtest.h>

#include <thread>

#include "pipeline/point/local_point.h"
#include "pipeline/test_source.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp loop_began = timestamp_from_ns(1'700'000'000'000'000'000);

/// A second passes whenever somebody looks.
class FastClock {
 public:
  Timestamp operator()() { return now_ += 1s; }

 private:
  Timestamp now_ = loop_began;
};

/// An interface without traffic whose kernel drops a packet in every batch; it is gone after
/// `most_` batches.
class SilentSource final : public Source {
 public:
  explicit SilentSource(std::uint64_t most) : most_(most) {}

  Filled next(std::span<Packet>) override { return {0, ++counters_.kernel_drops >= most_}; }
  bool bytes_stay() const override { return true; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }

 private:
  std::uint64_t most_;
  SourceCounters counters_;
};

PointOptions every_second() {
  PointOptions options;
  options.point = {"north", 7};
  options.every = 1s;
  options.rtt.emplace();
  return options;
}

bool always() { return true; }
const std::atomic<bool> never{false};

TEST(PointLoop, PacketsOfACaptureBringTheTime) {
  const auto packets = test::mixed_traffic(60'000, 1);  // 6 s
  test::MemorySource source{packets, 100};
  source.quiet_now_and_then = true;
  auto spool = ipfix::Spool::open({.instance = 7});
  PointRun run{every_second(), **spool};
  std::uint64_t told = 0;
  EXPECT_TRUE(feed_point({source}, run, never, always, [&] { ++told; }));
  EXPECT_EQ(run.counters().packets_seen, packets.size());
  EXPECT_EQ(run.counters().packets_in_cache, 0u) << "the last report has been made";
  EXPECT_GE(told, 4u);
  EXPECT_LE(told, 6u);
  EXPECT_GE((*spool)->counters().appended.messages, told + 1) << "one more than it has told of";
  EXPECT_GT(run.samples(), 0u);
}

TEST(PointLoop, AnInterfaceHasReportsWithoutPackets) {
  SilentSource source{20};
  auto spool = ipfix::Spool::open({.instance = 7});
  PointRun run{every_second(), **spool};
  std::uint64_t told = 0;
  const PointFeed feed{.source = source, .clock = FastClock{}};
  EXPECT_TRUE(feed_point(feed, run, never, always, [&] { ++told; }));
  EXPECT_EQ(told, 19u) << "the first batch starts the clock";
  EXPECT_EQ(run.counters().packets_dropped, 20u);
}

TEST(PointLoop, EndsWhenItIsToldTo) {
  SilentSource source{1'000'000};
  auto spool = ipfix::Spool::open({.instance = 7});
  PointRun run{every_second(), **spool};
  int steps = 0;
  const PointFeed feed{.source = source, .clock = FastClock{}};
  EXPECT_FALSE(feed_point(feed, run, never, [&] { return ++steps <= 3; }, [] {}));
  EXPECT_EQ(source.counters().kernel_drops, 3u);
  std::atomic<bool> stop{false};
  EXPECT_FALSE(feed_point(feed, run, stop, always, [&] { stop = true; }));
  EXPECT_LE(source.counters().kernel_drops, 5u);
}

TEST(PointLoop, ACaptureWaitsForRoomInTheSpool) {
  constexpr std::size_t bytes = ipfix::Spool::least_bytes;
  auto spool = ipfix::Spool::open({.bytes = bytes, .instance = 7});
  const std::vector<std::byte> bytes_of_message(10'000);
  const auto yes = [] { return true; };
  wait_for_room(**spool, bytes, never, yes);  // an empty spool has room
  while ((*spool)->bytes_on_disk() <= bytes / 2)
    (*spool)->append({.bytes = bytes_of_message, .data_records = 1, .packets = 1});
  wait_for_room(**spool, bytes, never, [] { return false; });  // nobody takes anything
  wait_for_room(**spool, bytes, std::atomic<bool>{true}, yes);
  std::atomic<bool> waits{true};
  std::thread waiting{[&] {
    wait_for_room(**spool, bytes, never, yes);
    waits = false;
  }};
  std::this_thread::sleep_for(50ms);
  EXPECT_TRUE(waits);
  while ((*spool)->next()) (*spool)->sent({});
  waiting.join();
}

TEST(LocalPoint, ReportsByTheClockAndWhatIsLeft) {
  const auto packets = test::mixed_traffic(2'000, 1);
  test::MemorySource source{packets, 100};
  LocalPoint point{{.point = {"lo", 7}, .rtt = {}, .every = 5s}};
  std::vector<PointReport> reports;
  const auto take = [&](PointReport report) { reports.push_back(std::move(report)); };
  EXPECT_TRUE(point.run(source, never, always, FastClock{}, take));
  ASSERT_EQ(reports.size(), 4u) << "20 batches of a second each, and the rest";
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].number, i + 1);
    EXPECT_EQ(reports[i].point.name, "lo");
  }
  ASSERT_TRUE(reports[0].counters && reports[3].counters);
  EXPECT_EQ(reports[0].counters->packets_seen, 600u);
  EXPECT_EQ(reports[3].counters->packets_seen, 2'000u);
  EXPECT_EQ(point.packets(), 2'000u);
  EXPECT_GT(point.samples(), 0u);
  EXPECT_FALSE(reports[3].cells.empty());
}

TEST(LocalPoint, EndsWhenItIsToldToAndCountsWhatTheKernelDropped) {
  SilentSource source{1'000};
  LocalPoint point{{.point = {"lo", 7}, .rtt = {}}};
  std::vector<PointReport> reports;
  int steps = 0;
  EXPECT_FALSE(point.run(
      source, never, [&] { return ++steps <= 3; }, FastClock{},
      [&](PointReport report) { reports.push_back(std::move(report)); }));
  ASSERT_EQ(reports.size(), 1u);
  ASSERT_TRUE(reports[0].counters);
  EXPECT_EQ(reports[0].counters->packets_dropped, 3u);
}

}  // namespace
}  // namespace sojourn
