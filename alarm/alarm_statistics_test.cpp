// How often alarms are false, and how soon a true one is raised.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <random>
#include <vector>

#include "alarm/alarm_book.h"
#include "alarm/alarm_round.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = slice_of(timestamp_from_ns(1'700'000'000'000'000'000), 1h);
constexpr int hours_of_week = 24 * 7;
constexpr std::size_t tens_of_week = hours_of_week * 6;
constexpr auto tens_of_usual = static_cast<std::size_t>(usual_span / usual_step);

double hours_since_start(Timestamp time) {
  return std::chrono::duration<double, std::ratio<3600>>(difference(time, start)).count();
}

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
  /// Ten minutes at that time in four weeks, with so many samples an hour.
  Distribution ten_minutes(double hour, int samples) {
    Distribution all;
    for (int minute = 0; minute < 10; ++minute)
      all.merge(measure(hour + minute / 60.0, 4 * samples / 60));
    return all;
  }
  /// The usual delays of five minutes that end at `now`, as AlarmRounds asks for them.
  DelaySnapshot usual(Timestamp now, int samples) {
    const Timestamp begin = usual_begin(now - 5min, now);
    Distribution all;
    for (Duration at{}; at < usual_span; at += usual_step)
      all.merge(ten_minutes(hours_since_start(begin + at), samples));
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

/// Four weeks that make up the usual delays of every ten minutes of a week.
void learn(Path& path, std::vector<Distribution>& tens, std::vector<DelaySnapshot>& usuals) {
  for (std::size_t ten = 0; ten < tens.size(); ++ten)
    tens[ten] = path.ten_minutes(static_cast<double>(ten) / 6, 2000);
  for (std::size_t ten = 0; ten < tens.size(); ++ten) {
    Distribution hour;
    for (std::size_t at = 0; at < tens_of_usual; ++at) hour.merge(tens[(ten + at) % tens.size()]);
    usuals[ten] = hour.snapshot(std::array{0.5});
  }
}

/// Counts the alarms of a rule about the usual delay and of one about a bound, over so many weeks
/// without a change.  As in AlarmRounds, each minute judges the last five, so neighbouring
/// decisions share most of their samples.  `bias`: how much slower the path is than in the weeks
/// that made the usual delay.
std::size_t alarms_in(int weeks, double rate, double bias, std::uint64_t seed) {
  Path path{seed};
  const auto usual_rule = *AlarmRule::parse("tcp usual");
  // 26 ms at noon and midnight, 32 ms in the morning: only chance breaks it, and only just.
  const auto bound_rule = *AlarmRule::parse("tcp median < 32.2ms");
  const AlarmOptions options = options_with(1min, rate);
  const double significance = significance_of(options, 2);
  std::vector<Distribution> tens(tens_of_week);
  std::vector<DelaySnapshot> usuals(tens_of_week);  // by their start
  std::deque<Distribution> minutes;
  AlarmBook book;
  std::size_t opened = 0;
  Timestamp now = start;
  for (int minute = 0; minute < weeks * hours_of_week * 60; ++minute) {
    // The usual delay changes as slowly as the weeks that make it up.
    if (minute % (4 * hours_of_week * 60) == 0) learn(path, tens, usuals);
    minutes.push_back(path.measure(hours_since_start(now), 40, bias));
    if (minutes.size() > 5) minutes.pop_front();
    now += 1min;
    Distribution window;
    for (const Distribution& each : minutes) window.merge(each);
    const Duration from_start = difference(usual_begin(now - 5min, now), start);
    const auto ten = static_cast<std::size_t>((from_start + 4 * 24h * 7) / usual_step);
    const DelaySnapshot& usual = usuals[ten % tens_of_week];
    for (const auto& [change, alarm] : book.take(
             now,
             {{usual_rule.text(), "p", "",
               usual_rule.judge(window, &usual, significance, options.tolerance)},
              {bound_rule.text(), "p", "", bound_rule.judge(window, nullptr, significance, 0)}}))
      opened += change == AlarmBook::Change::opened;
  }
  return opened;
}

// The target is 50 false alarms a week, many enough to count some within seconds.  At exactly that
// rate there would be more than 131 in 2 weeks with probability 0.001 (Poisson, mean 100).
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
  EXPECT_GT(alarms_in(1, 0.5, 1.25, 3), 6u);  // P(more than 6) < 1e-6 at the requested rate
}

/// After how many minutes a shift of 20 % is found in each of 50 runs; 0 if not within 8.  There
/// are a thousand samples a minute and one prefix of a thousand.  Every minute judges a window of 5
/// minutes, which still holds older samples.  The path continues to drift, by up to 6 % within an
/// hour.
std::vector<int> minutes_until_found(Timestamp first, Duration step) {
  const AlarmOptions options = options_with(1min, 0.1);
  const double significance = significance_of(options, 1000);
  const auto rule = *AlarmRule::parse("each tcp usual");
  std::vector<int> all;
  for (int run = 0; run < 50; ++run) {
    Path path{static_cast<std::uint64_t>(100 + run)};
    const Timestamp shift = first + run * step;
    std::deque<Distribution> minutes;
    for (int minute = -5; minute < 0; ++minute)
      minutes.push_back(path.measure(hours_since_start(shift + minute * 1min), 1000));
    int found = 0;
    Timestamp learned{};
    DelaySnapshot usual;
    for (int minute = 1; minute <= 8 && found == 0; ++minute) {
      const Timestamp now = shift + minute * 1min;
      minutes.pop_front();
      minutes.push_back(path.measure(hours_since_start(now - 1min), 1000, 1.2));
      Distribution window;
      for (const Distribution& each : minutes) window.merge(each);
      if (const Timestamp begin = usual_begin(now - 5min, now); minute == 1 || begin != learned) {
        usual = path.usual(now, 60'000);
        learned = begin;
      }
      if (rule.judge(window, &usual, significance, options.tolerance).state == AlarmState::bad)
        found = minute;
    }
    all.push_back(found);
  }
  return all;
}

void expect_all_in_time(const std::vector<int>& found) {
  const auto late =
      std::ranges::count_if(found, [](int minutes) { return minutes == 0 || minutes > 5; });
  std::printf("found after %d minutes at most; %d of %zu runs later than 5\n",
              std::ranges::max(found), static_cast<int>(late), found.size());
  EXPECT_EQ(late, 0);
}

TEST(AlarmStatistics, AShiftOfATwentyPercentIsFoundWithinFiveMinutes) {
  expect_all_in_time(minutes_until_found(start + 30min, 1h));
}

// At the beginning of the hour in which delays rise most, by 6 %.  There they are 3 % below the
// hour's average, so a rise by a fifth is only a sixth above that average.
TEST(AlarmStatistics, AndSoItIsAtTheEdgeOfAnHourThatGetsSlower) {
  expect_all_in_time(minutes_until_found(start, 24h));
}

}  // namespace
}  // namespace sojourn
