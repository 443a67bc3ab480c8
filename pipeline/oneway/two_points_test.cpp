#include "pipeline/oneway/two_points.h"

#include <gtest/gtest.h>

#include <string>

#include "pipeline/oneway/test_two_points.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

const std::atomic<bool> never{false};

/// Remembers which point's batch came when.
class Order final : public OnewayMethod {
 public:
  void first(std::span<const IpPacket> batch) override { add(Point::first, batch); }
  void last(std::span<const IpPacket> batch) override { add(Point::last, batch); }
  void ended(Point point) override { told += point == Point::first ? 'F' : 'L'; }
  OnewayResult finish() override { return {}; }

  struct Batch {
    Point point;
    Timestamp begins;
    std::size_t packets;
  };
  std::vector<Batch> batches;
  std::string told;

 private:
  void add(Point point, std::span<const IpPacket> batch) {
    batches.push_back({point, batch.front().time, batch.size()});
  }
};

Order order_of(std::span<const StoredPacket> first, std::span<const StoredPacket> last,
               const ClockCorrection& correction = {}) {
  Order order;
  TwoPoints points{order, 1, correction};
  MemorySource one{first, 100}, other{last, 77};
  points.run(one, other, never, [] {});
  return order;
}

/// A pipe into which nobody writes: it gives nothing and does not end, for a long time.
class SilentSource final : public Source {
 public:
  explicit SilentSource(std::atomic<bool>& interrupted) : interrupted_(interrupted) {}
  Filled next(std::span<Packet>) override {
    if (++asked == 3) interrupted_ = true;
    return {0, asked == 1000};
  }
  bool bytes_stay() const override { return false; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return -1; }
  int asked = 0;

 private:
  std::atomic<bool>& interrupted_;
  SourceCounters counters_;
};

TEST(TwoPoints, CanBeInterruptedWhileNothingArrives) {
  std::atomic<bool> interrupted{false};
  Order order;
  TwoPoints points{order, 1};
  SilentSource one{interrupted}, other{interrupted};
  points.run(one, other, interrupted, [] {});
  EXPECT_EQ(one.asked, 3);
  EXPECT_EQ(other.asked, 0);
}

TEST(TwoPoints, ThePointThatIsBehindIsNext) {
  const TestTwoPoints traffic;
  const Order order = order_of(traffic.first, traffic.last);
  ASSERT_GT(order.batches.size(), 20u);
  std::size_t packets[2] = {};
  for (std::size_t i = 0; i < order.batches.size(); ++i) {
    packets[index_of(order.batches[i].point)] += order.batches[i].packets;
    if (i == 0) continue;
    EXPECT_LE(order.batches[i - 1].begins, order.batches[i].begins) << i;
  }
  EXPECT_EQ(packets[0], traffic.first.size());
  EXPECT_EQ(packets[1], traffic.last.size());
  EXPECT_EQ(order.batches.front().point, Point::first);
}

TEST(TwoPoints, AtTheSameTimeTheFirstPointIsFirst) {
  const TestTwoPoints traffic;
  const Order order = order_of(traffic.first, traffic.first);
  for (std::size_t i = 1; i < order.batches.size(); ++i)
    if (order.batches[i - 1].begins == order.batches[i].begins) {
      EXPECT_EQ(order.batches[i - 1].point, Point::first);
      EXPECT_EQ(order.batches[i].point, Point::last);
    }
  EXPECT_EQ(order.batches[0].point, Point::first);
  EXPECT_EQ(order.batches[1].point, Point::last);
}

TEST(TwoPoints, GoesOnWithOnePointAloneAndTellsEachEndOnce) {
  const TestTwoPoints traffic;
  const Order only_first = order_of(traffic.first, {}), only_last = order_of({}, traffic.last);
  EXPECT_EQ(only_first.told, "LF");
  EXPECT_EQ(only_last.told, "FL");
  for (const auto& batch : only_first.batches) EXPECT_EQ(batch.point, Point::first);
  for (const auto& batch : only_last.batches) EXPECT_EQ(batch.point, Point::last);
  EXPECT_EQ(order_of({}, {}).told, "FL");
}

TEST(TwoPoints, OnlyTheLastPointsTimesAreCorrected) {
  const TestTwoPoints traffic;
  const Order order = order_of(traffic.first, traffic.first, {.offset = 1h});
  EXPECT_EQ(order.batches.front().point, Point::last) << "an hour earlier";
  EXPECT_EQ(to_ns(order.batches.front().begins),
            traffic.first.front().time_ns - Duration{1h}.count());
  EXPECT_EQ(order.told, "LF");
}

}  // namespace
}  // namespace sojourn
