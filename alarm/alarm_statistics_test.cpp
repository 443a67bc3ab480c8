// How often alarms are false, and how soon a true one comes.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <random>

#include "alarm/alarm_book.h"
#include "alarm/alarm_round.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);
constexpr int hours_of_week = 24 * 7;

/// A path whose delays follow the hour of the week, and whose flows differ: each has some ten
/// samples and a delay of its own.
class Path {
 public:
  explicit Path(std::uint64_t seed) : random_(seed) {}

  Distribution measure(double hour, int samples, double slower = 1) {
    const double median = 20e6 * (1.3 + 0.3 * std::sin(hour / 24 * 2 * 3.14159265)) * slower;
    Distribution delays;
    for (int i = 0; i < samples; ++i) {
      if (left_ == 0) {
        left_ = 1 + static_cast<int>(random_() % 20);
        flow_ = random_();
        of_flow_ = std::exp(0.15 * normal_(random_));
      }
      --left_;
      delays.add(
          Duration{static_cast<std::int64_t>(median * of_flow_ * std::exp(0.4 * normal_(random_)))},
          1, FlowTag::of(flow_));
    }
    return delays;
  }
  /// Four weeks of that hour, as its minutes go by.
  DelaySnapshot usual(double hour, int samples) {
    Distribution all;
    for (int minute = 0; minute < 60; ++minute)
      all.merge(measure(hour + minute / 60.0, 4 * samples / 60));
    return all.snapshot(std::array{0.5});
  }

 private:
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  int left_ = 0;
  std::uint64_t flow_ = 0;
  double of_flow_ = 1;
};

AlarmOptions options_with(Duration every, double rate) {
  AlarmOptions options;
  options.every = every;
  options.false_alarms_per_week = rate;
  return options;
}

/// Alarms of a rule about the usual and one about a bound over so many weeks without a change, as
/// AlarmRounds looks: every minute, at the last five, so that neighbouring decisions share most of
/// their samples.  `bias`: how much slower the path is than the weeks that made the usual.
std::size_t alarms_in(int weeks, double rate, double bias, std::uint64_t seed) {
  Path path{seed};
  const auto usual_rule = *AlarmRule::parse("tcp usual");
  // 26 ms at noon and midnight, 32 ms in the morning: nothing but chance breaks it, and just so.
  const auto bound_rule = *AlarmRule::parse("tcp median < 32.2ms");
  const AlarmOptions options = options_with(1min, rate);
  const double significance = significance_of(options, 2);
  std::array<DelaySnapshot, hours_of_week> usuals;
  std::deque<Distribution> minutes;
  AlarmBook book;
  std::size_t opened = 0;
  Timestamp now = start;
  for (int week = 0; week < weeks; ++week)
    for (int hour = 0; hour < hours_of_week; ++hour) {
      // The usual changes as slowly as the weeks that make it.
      if (week % 4 == 0) usuals[static_cast<std::size_t>(hour)] = path.usual(hour, 2000);
      const DelaySnapshot& usual = usuals[static_cast<std::size_t>(hour)];
      for (int minute = 0; minute < 60; ++minute, now += 1min) {
        minutes.push_back(path.measure(hour + minute / 60.0, 40, bias));
        if (minutes.size() > 5) minutes.pop_front();
        Distribution window;
        for (const Distribution& each : minutes) window.merge(each);
        for (const auto& [change, alarm] :
             book.take(now, {{usual_rule.text(), "p", "",
                              usual_rule.judge(window, &usual, significance, options.tolerance)},
                             {bound_rule.text(), "p", "",
                              bound_rule.judge(window, nullptr, significance, 0)}}))
          opened += change == AlarmBook::Change::opened;
      }
    }
  return opened;
}

// 50 false alarms a week were asked for: that many, so that there is something to count within
// seconds.  If they came at just that rate there would be more than 131 in 2 weeks with probability
// 0.001 (Poisson, mean 100).
TEST(AlarmStatistics, FalseAlarmsAreNoMoreThanWasAskedFor) {
  const std::size_t alarms = alarms_in(2, 50, 1, 20261117);
  std::printf("%zu false alarms in 2 weeks, 100 were asked for\n", alarms);
  EXPECT_LE(alarms, 131u);
}

// Minutes long: alarm_test --gtest_also_run_disabled_tests --gtest_filter='*TwoHundredWeeks*'
TEST(AlarmStatistics, DISABLED_TwoHundredWeeksWithALookAMinute) {
  const std::size_t alarms = alarms_in(200, 0.5, 1, 20261117);
  std::printf("%zu false alarms in 200 weeks, 100 were asked for\n", alarms);
  EXPECT_LE(alarms, 131u);
}

TEST(AlarmStatistics, WouldNoticeAPathThatIsSlowerThanItsUsual) {
  EXPECT_GT(alarms_in(1, 0.5, 1.25, 3), 6u);  // P(more than 6) < 1e-6 at the rate asked for
}

// A thousand samples a minute, one prefix of a thousand, 20 % slower from minute 0 on: looked at
// every minute, with windows of 5 minutes that still hold what was before.  In the middle of the
// hour, where this path is as fast as the hour as a whole: what drifts within it adds to the shift
// or takes away from it.
TEST(AlarmStatistics, AShiftOfATwentyPercentIsFoundWithinFiveMinutes) {
  const AlarmOptions options = options_with(1min, 0.1);
  const double significance = significance_of(options, 1000);
  const auto rule = *AlarmRule::parse("each tcp usual");
  int late = 0, worst = 0;
  constexpr int runs = 50;
  for (int run = 0; run < runs; ++run) {
    Path path{static_cast<std::uint64_t>(100 + run)};
    const double hour = run % hours_of_week;
    const auto usual = path.usual(hour, 60'000);
    std::deque<Distribution> minutes;
    for (int i = 0; i < 5; ++i) minutes.push_back(path.measure(hour + 0.5, 1000));
    int found = 0;
    for (int minute = 1; minute <= 8 && found == 0; ++minute) {
      minutes.pop_front();
      minutes.push_back(path.measure(hour + 0.5, 1000, 1.2));
      Distribution window;
      for (const Distribution& each : minutes) window.merge(each);
      if (rule.judge(window, &usual, significance, options.tolerance).state == AlarmState::bad)
        found = minute;
    }
    late += found == 0 || found > 5;
    worst = std::max(worst, found);
  }
  std::printf("found after %d minutes at most; %d of %d runs later than 5\n", worst, late, runs);
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace sojourn
