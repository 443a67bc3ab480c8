#include "oneway/cnf/association.h"

#include <algorithm>
#include <cmath>

#include "oneway/cnf/record_order.h"

namespace sojourn {
namespace {

/// One end of a record of the last point.
struct End {
  std::uint32_t label;
  Timestamp time;
};

/// The ends of a flow at the last point, searchable by label.
class Ends {
 public:
  void clear() { ends_.clear(); }
  void add(std::uint32_t label, Timestamp time) { ends_.push_back({label, time}); }
  void sort() { std::ranges::sort(ends_, {}, &End::label); }

  /// The delay of `label` if it is present; of several, the one nearest to zero.
  std::optional<Duration> delay_of(std::uint32_t label, Timestamp sent, Duration window) const {
    std::optional<Duration> best;
    const auto same = std::ranges::equal_range(ends_, label, {}, &End::label);
    for (const End& end : same) {
      const Duration delay = difference(end.time, sent);
      if (delay > window || delay < -window) continue;
      if (!best || std::chrono::abs(delay) < std::chrono::abs(*best)) best = delay;
    }
    return best;
  }

 private:
  std::vector<End> ends_;
};

}  // namespace

Association associate_by_label(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                               Duration window) {
  Association result;
  Ends firsts, lasts;
  for_each_key(
      first, last, [&](std::span<const std::uint32_t> ours, std::span<const std::uint32_t> theirs) {
        firsts.clear();
        lasts.clear();
        for (const std::uint32_t index : theirs) {
          firsts.add(last[index].first_label, last[index].first);
          lasts.add(last[index].last_label, last[index].last);
        }
        firsts.sort();
        lasts.sort();
        for (const std::uint32_t index : ours) {
          const FlowRecord& record = first[index];
          AssociatedFlow flow{index, firsts.delay_of(record.first_label, record.first, window),
                              std::nullopt};
          if (record.packets > 1)
            flow.last_delay = lasts.delay_of(record.last_label, record.last, window);
          if (flow.first_delay || flow.last_delay)
            result.flows.push_back(flow);
          else
            ++result.unmatched;
        }
      });
  return result;
}

DelaySeries delay_series(std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first) {
  std::vector<TimedDelay> delays;
  delays.reserve(2 * flows.size());
  for (const AssociatedFlow& flow : flows) {
    const FlowRecord& record = first[flow.record];
    if (flow.first_delay) delays.push_back({record.first, *flow.first_delay});
    if (flow.last_delay) delays.push_back({record.last, *flow.last_delay});
  }
  return DelaySeries{std::move(delays)};
}

std::uint64_t drop_outliers(Association& association, double share) {
  std::vector<Duration> delays;
  for (const AssociatedFlow& flow : association.flows) {
    if (flow.first_delay) delays.push_back(*flow.first_delay);
    if (flow.last_delay) delays.push_back(*flow.last_delay);
  }
  const auto dropped = static_cast<std::size_t>(share * static_cast<double>(delays.size()));
  if (dropped == 0) return 0;
  const auto longest_kept = delays.end() - static_cast<std::ptrdiff_t>(dropped) - 1;
  std::nth_element(delays.begin(), longest_kept, delays.end());
  const Duration limit = *longest_kept;
  std::uint64_t gone = 0;
  const auto drop = [&](std::optional<Duration>& delay) {
    if (!delay || *delay <= limit) return;
    delay.reset();
    ++gone;
  };
  for (AssociatedFlow& flow : association.flows) {
    drop(flow.first_delay);
    drop(flow.last_delay);
  }
  association.unmatched += std::erase_if(association.flows, [](const AssociatedFlow& flow) {
    return !flow.first_delay && !flow.last_delay;
  });
  return gone;
}

}  // namespace sojourn
