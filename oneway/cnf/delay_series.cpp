#include "oneway/cnf/delay_series.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

#include "oneway/cnf/moment.h"

namespace sojourn {

DelaySeries::DelaySeries(std::vector<TimedDelay> samples) : samples_(samples.size()) {
  if (empty()) return;
  assert(samples_.size() < std::numeric_limits<std::uint32_t>::max());
  // Equal send times are ordered by delay: the series does not depend on the input order.
  std::ranges::sort(samples, [](const TimedDelay& a, const TimedDelay& b) {
    return a.sent != b.sent ? a.sent < b.sent : a.delay < b.delay;
  });
  std::ranges::copy(samples, samples_.begin());
  begin_ns_ = to_ns(samples.front().sent);
  pivot_ns_ = to_ns(samples_[samples_.size() / 2].delay);

  sums_ = HugeArray<Sums>{samples_.size() + 1};
  crowd_ = HugeArray<std::uint64_t>{samples_.size() + 1};
  std::uint64_t in_moment = 0;
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const bool same_moment =
        i > 0 && moment_of(samples_[i].sent) == moment_of(samples_[i - 1].sent);
    in_moment = same_moment ? in_moment + 1 : 1;
    crowd_[i + 1] = crowd_[i] + 2 * in_moment - 1;
    const Wide off = Wide{to_ns(samples_[i].delay)} - pivot_ns_;
    sums_[i + 1] = {sums_[i].delay + off, sums_[i].square + off * off};
  }

  const double length = static_cast<double>(difference_ns(to_ns(samples.back().sent), begin_ns_));
  const std::size_t cells = samples_.size();
  cells_a_ns_ = length > 0 ? static_cast<double>(cells - 1) / length : 0;
  last_cell_ = static_cast<double>(cells) - 1;
  grid_ = HugeArray<std::uint32_t>{cells + 1};
  std::ranges::fill(grid_, static_cast<std::uint32_t>(samples_.size()));
  for (std::size_t i = samples_.size(); i-- > 0;)
    grid_[cell_of(to_ns(samples_[i].sent))] = static_cast<std::uint32_t>(i);
  for (std::size_t cell = cells; cell-- > 0;) grid_[cell] = std::min(grid_[cell], grid_[cell + 1]);
}

std::size_t DelaySeries::lower_bound(Timestamp time) const {
  if (empty()) return 0;
  const std::size_t cell = cell_of(to_ns(time));
  const auto begin = samples_.begin();
  const auto found =
      std::lower_bound(begin + grid_[cell], begin + grid_[cell + 1], time,
                       [](const TimedDelay& sample, Timestamp t) { return sample.sent < t; });
  return static_cast<std::size_t>(found - begin);
}

DelaySummary DelaySeries::over(Range range) const {
  const auto [begin, end] = range;
  if (begin >= end) return {};
  const auto n = static_cast<double>(end - begin);
  const auto sum = static_cast<long double>(sums_[end].delay - sums_[begin].delay);
  const auto square = static_cast<long double>(sums_[end].square - sums_[begin].square);
  const long double mean = sum / static_cast<long double>(n);
  DelaySummary summary{end - begin, static_cast<double>(pivot_ns_) + static_cast<double>(mean), 0};
  if (end - begin > 1)
    summary.deviation_ns =
        std::sqrt(std::max(0.0, static_cast<double>(square - sum * mean) / (n - 1)));
  return summary;
}

double DelaySeries::moments(Range range) const {
  if (range.begin >= range.end) return 0;
  return effective_moments(static_cast<double>(range.size()),
                           static_cast<double>(crowd_[range.end] - crowd_[range.begin]));
}

DelaySeries::Range DelaySeries::within(Timestamp first, Timestamp last) const {
  if (empty() || last < first) return {};
  // There is no sample between two integers: "after last" is "from last + 1 on".
  return {lower_bound(first), lower_bound(last + Duration{1})};
}

DelaySeries::Range DelaySeries::at_least(std::size_t least, Timestamp first, Timestamp last) const {
  if (empty() || last < first) return {};
  auto [begin, end] = within(first, last);
  while (end - begin < least && end - begin < samples_.size()) {
    const bool at_left_edge = begin == 0, at_right_edge = end == samples_.size();
    const bool left_is_nearer =
        !at_left_edge && (at_right_edge || difference(first, samples_[begin - 1].sent) <=
                                               difference(samples_[end].sent, last));
    if (left_is_nearer)
      --begin;
    else
      ++end;
  }
  return {begin, end};
}

std::optional<double> DelaySeries::interpolated_ns(Timestamp sent) const {
  if (empty()) return std::nullopt;
  const std::size_t right = lower_bound(sent);
  if (right == samples_.size()) return static_cast<double>(to_ns(samples().back().delay));
  const TimedDelay& after = samples_[right];
  if (right == 0 || after.sent == sent) return static_cast<double>(to_ns(after.delay));
  const TimedDelay& before = samples_[right - 1];
  const auto share = static_cast<double>(to_ns(sent - before.sent)) /
                     static_cast<double>(to_ns(after.sent - before.sent));
  const auto from = static_cast<double>(to_ns(before.delay));
  return from + share * (static_cast<double>(to_ns(after.delay)) - from);
}

}  // namespace sojourn
