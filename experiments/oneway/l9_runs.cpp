#include "experiments/oneway/l9_runs.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace sojourn {
namespace {

constexpr double link_bits_a_ns = 10;  // 10 Gbit/s
constexpr MarkingInterval steady_length{-2};

/// A link with a bounded queue: packets that find it full are lost.
class Link {
 public:
  explicit Link(std::int64_t longest_ns, double backlog_ns = 0)
      : longest_ns_(static_cast<double>(longest_ns)), backlog_ns_(backlog_ns) {}

  std::optional<std::int64_t> pass(double now_ns, double bits) {
    backlog_ns_ = std::max(0.0, backlog_ns_ - (now_ns - last_ns_));
    last_ns_ = now_ns;
    const double own = bits / link_bits_a_ns;
    if (backlog_ns_ + own > longest_ns_) return std::nullopt;
    backlog_ns_ += own;
    return static_cast<std::int64_t>(backlog_ns_);
  }

 private:
  double longest_ns_, backlog_ns_, last_ns_ = 0;
};

}  // namespace

CongestionRun congestion(const LabSetting& setting, double gap_ns) {
  const MarkingInterval length{setting.quick ? -6 : -2};
  const double second_ns = static_cast<double>(to_ns(length.length()));
  const int intervals = setting.quick ? 8 : 20;
  MarkedPath path{MarkingMethod::multiplexed, length, {}};
  Link link{300'000, setting.quick ? 299'000.0 : 200'000.0};
  std::mt19937_64 random{setting.seed};
  std::uniform_int_distribution<int> size{64, 1518};
  constexpr double small_bits = 64 * 8, small_gap = small_bits / 9.7;
  double next_small = 0, next_large = gap_ns * 0.5;
  const double end = second_ns * intervals;
  while (std::min(next_small, next_large) < end) {
    const bool small = next_small <= next_large;
    double& next = small ? next_small : next_large;
    const double bits = small ? small_bits : size(random) * 8.0;
    path.send(l9_origin_ns + static_cast<std::int64_t>(next), link.pass(next, bits));
    next += small ? small_gap : gap_ns;
  }
  CongestionRun run{.interval_s = second_ns / 1e9, .intervals = {}, .score = {}};
  for (const MarkingResult& result : path.finish()) {
    const PathTruth* const truth = path.truth(result);
    CongestedInterval interval{
        .start_s = static_cast<double>(to_ns(result.start()) - l9_origin_ns) / 1e9,
        .sent = result.sent,
        .lost = result.lost,
        .true_lost = {},
        .delay_ns = {},
        .true_delay_ns = {},
        .faults = result.faults.text()};
    if (result.delay) interval.delay_ns = to_ns(*result.delay);
    if (truth) {
      interval.true_lost = truth->lost;
      interval.true_delay_ns = truth->pulse_delay_ns;
    }
    run.intervals.push_back(std::move(interval));
  }
  run.score = path.score();
  return run;
}

PathScore overload(const LabSetting& setting, double load, std::int64_t queue_ns) {
  const MarkingInterval length{setting.quick ? -6 : -2};
  MarkedPath path{MarkingMethod::multiplexed, length, {}};
  Link link{queue_ns};
  std::mt19937_64 random{setting.seed};
  std::uniform_real_distribution<double> uniform{0.5, 1.5};
  constexpr double bits = 512 * 8;
  const double end = static_cast<double>(to_ns(length.length())) * 6;
  for (double at = 0; at < end; at += bits / link_bits_a_ns / load * uniform(random))
    path.send(l9_origin_ns + static_cast<std::int64_t>(at), link.pass(at, bits));
  path.finish();
  return path.score();
}

SteadyRun steady(const LabSetting& setting, const Steady& how) {
  MarkedPath path{how.method, steady_length, how.clock, how.clock_error};
  std::mt19937_64 random{setting.seed};
  std::uniform_real_distribution<double> uniform;
  if (how.change_to)
    path.change_interval(
        *how.change_to, timestamp_from_ns(l9_origin_ns + static_cast<std::int64_t>(4 * steady_ns)));
  int speaks_in = -1;
  bool speaks = true;
  for (double at = 0; at < how.intervals; at += -std::log(1 - uniform(random)) / 400) {
    if (const int interval = static_cast<int>(at); interval != speaks_in) {
      speaks_in = interval;
      speaks = interval == 0 || uniform(random) < how.on;
    }
    const bool arrives = uniform(random) >= 0.02;
    const auto delay = static_cast<std::int64_t>(uniform(random) * how.most_delay * steady_ns);
    if (speaks)
      path.send(l9_origin_ns + static_cast<std::int64_t>(at * steady_ns),
                arrives ? std::optional{delay} : std::nullopt);
  }
  SteadyRun run;
  for (const MarkingResult& result : path.finish())
    if (result.faults.has(MarkingFault::idle))
      run.idle += static_cast<std::uint64_t>(result.intervals);
  run.score = path.score();
  return run;
}

}  // namespace sojourn
