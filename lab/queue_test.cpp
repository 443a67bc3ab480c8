#include "lab/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lab/clock_model.h"

namespace sojourn {
namespace {

constexpr std::uint64_t seed = 20'261'115;

TEST(DropTailQueue, ServesInOrderAtItsRate) {
  DropTailQueue queue{{.capacity = 10, .bytes_per_second = 1e9}};  // a byte each nanosecond
  EXPECT_EQ(queue.pass({0, 100, 1000}), 1100);
  EXPECT_EQ(queue.pass({0, 50, 1010}), 1150);  // waits for the first
  EXPECT_EQ(queue.pass({0, 50, 5000}), 5050);  // finds it idle
}

TEST(DropTailQueue, LosesWhatFindsItFull) {
  DropTailQueue queue{{.capacity = 2, .bytes_per_second = 1e9}};
  EXPECT_EQ(queue.pass({0, 100, 0}), 100);
  EXPECT_EQ(queue.pass({0, 100, 1}), 200);
  EXPECT_EQ(queue.pass({0, 100, 2}), std::nullopt);
  EXPECT_EQ(queue.pass({0, 100, 99}), std::nullopt);
  EXPECT_EQ(queue.pass({0, 100, 100}), 300);  // the first has left
}

/// Mean time in an M/D/1 queue: service (1 + load / (2 (1 - load))), Pollaczek and Khinchine.
double mean_stay(double load, std::size_t packets) {
  Random random{seed};
  DropTailQueue queue{{.capacity = 100'000, .bytes_per_second = 1e9}};
  double now = 0, total = 0;
  for (std::size_t i = 0; i < packets; ++i) {
    now += random.exponential(1000 / load);
    const std::int64_t sent = std::llround(now);
    total += static_cast<double>(*queue.pass({0, 1000, sent}) - sent);
  }
  return total / static_cast<double>(packets);
}

TEST(DropTailQueue, WaitsAsQueueingTheorySays) {
  // At load 0.5 the sojourn time is 1500 ns with a deviation of 764; neighbours are correlated over
  // some ten packets, so 400 000 packets give a standard error near 5 ns.  25 ns is five of those:
  // a false alarm about once in 10^6 seeds.
  EXPECT_NEAR(mean_stay(0.5, 400'000), 1500, 25);
  EXPECT_GT(mean_stay(0.54, 400'000), 1525);  // would notice 4 % more load
}

/// Constant overload by a factor; returns the share lost after a warm-up.
double loss_of(RedQueue& queue, double factor, std::size_t packets) {
  std::size_t lost = 0, counted = 0;
  for (std::size_t i = 0; i < packets; ++i) {
    const double gap = 500 * 0.8 / factor;  // 500 bytes take 400 ns at 1.25 GB/s
    const bool gone = !queue.pass({0, 500, std::llround(static_cast<double>(i) * gap)});
    if (i < packets / 2) continue;
    ++counted;
    lost += gone;
  }
  return static_cast<double>(lost) / static_cast<double>(counted);
}

TEST(RedQueue, LosesNothingBelowItsLeastThreshold) {
  RedQueue queue{{}, seed};
  EXPECT_EQ(loss_of(queue, 0.95, 200'000), 0);
}

TEST(RedQueue, HoldsTheAverageBetweenTheThresholds) {
  RedQueue queue{{}, seed};
  const double loss = loss_of(queue, 1.01, 4'000'000);
  // The excess over the rate must be dropped: 1 - 1/1.01 = 0.99 %.  The queue's own length may
  // still change by its capacity, 10 000 of two million packets.
  EXPECT_NEAR(loss, 1 - 1 / 1.01, 0.005);
  EXPECT_GT(queue.average(), 4'000);
  EXPECT_LT(queue.average(), 9'000);
}

TEST(RedQueue, ForgetsTheAverageWhileIdle) {
  RedQueue queue{{}, seed};
  loss_of(queue, 1.01, 2'000'000);
  EXPECT_GT(queue.average(), 1'000);
  EXPECT_TRUE(queue.pass({0, 500, 100'000'000'000}));
  EXPECT_LT(queue.average(), 1);
}

/// Whether the empirical distribution is within the band of Dvoretzky, Kiefer and Wolfowitz of the
/// Weibull distribution with CNF's parameters.  Wrong once in 10^9 seeds.
bool is_weibull(std::vector<double> delays) {
  std::ranges::sort(delays);
  const double n = static_cast<double>(delays.size());
  const double band = std::sqrt(std::log(2 / 1e-9) / (2 * n));
  for (std::size_t i = 0; i < delays.size(); i += 100) {
    const double truth = 1 - std::exp(-std::pow(delays[i] / 1e-4, 0.6));
    if (std::abs(static_cast<double>(i) / n - truth) > band) return false;
  }
  return true;
}

std::vector<double> delays_of(const WeibullPath::Options& options, std::size_t packets,
                              std::size_t& lost) {
  WeibullPath path{options, seed};
  std::vector<double> delays;
  lost = 0;
  for (std::size_t i = 0; i < packets; ++i) {
    const LabPacket packet{0, 500, static_cast<std::int64_t>(i) * 1000};
    const Arrival arrival = path.pass(packet);
    if (arrival)
      delays.push_back(static_cast<double>(*arrival - packet.sent_ns) * 1e-9);
    else
      ++lost;
  }
  return delays;
}

TEST(WeibullPath, HasTheDistributionAndTheLoss) {
  std::size_t lost = 0;
  EXPECT_TRUE(is_weibull(delays_of({.loss = 0.02}, 200'000, lost)));
  // Hoeffding: off by 0.0073 once in 10^9 seeds.
  EXPECT_NEAR(static_cast<double>(lost) / 200'000, 0.02, 0.0073);
}

TEST(WeibullPath, WouldNoticeATenPercentWrongScale) {
  std::size_t lost = 0;
  EXPECT_FALSE(is_weibull(delays_of({.scale_seconds = 1.1e-4}, 200'000, lost)));
}

TEST(WeibullPath, KeepsTheOrderIfAsked) {
  WeibullPath free{{}, seed}, ordered{{.in_order = true}, seed};
  std::int64_t before = 0, overtakings = 0, last_free = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const std::int64_t now = *ordered.pass({0, 500, i * 1000}),
                       loose = *free.pass({0, 500, i * 1000});
    EXPECT_GE(now, before);
    overtakings += loose < last_free;
    before = now;
    last_free = loose;
  }
  EXPECT_GT(overtakings, 0);
}

TEST(ClockModel, IsOffsetDriftAndResolution) {
  Random random{seed};
  const ClockModel clock{.offset_ns = 5000, .drift_ppm = 10, .resolution_ns = 1000};
  EXPECT_EQ(clock.read(0, random), 5000);
  EXPECT_EQ(clock.read(1'000'000'000, random), 1'000'015'000);  // 10 ppm of a second is 10 us
  EXPECT_EQ(clock.read(999, random), 5000);
  EXPECT_EQ((ClockModel{.resolution_ns = 1000}.read(-1, random)), -1000);
}

}  // namespace
}  // namespace sojourn
