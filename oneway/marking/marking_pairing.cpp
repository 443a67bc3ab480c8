#include "oneway/marking/marking_pairing.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace sojourn {
namespace {

auto order_of(const MarkingRecord& record) {
  return std::tuple{record.flow, record.start(), record.length.exponent()};
}

void add(MarkingRecord& into, const MarkingRecord& other) {
  if (other.pulses > 0) {  // the mean of both
    const auto share = static_cast<double>(other.pulses) / (into.pulses + other.pulses);
    const Duration apart =
        into.pulses > 0 ? difference(other.pulse_time, into.pulse_time) : Duration{};
    if (into.pulses == 0) into.pulse_time = other.pulse_time;
    into.pulse_time += Duration{std::llround(static_cast<double>(to_ns(apart)) * share)};
  }
  into.repeats += other.repeats;
  into.packets += other.packets;
  into.pulses += other.pulses;
  into.middle += other.middle;
  into.contrary += other.contrary;
  into.other += other.other;
  into.marked_before += other.marked_before;
  into.late = std::max(into.late, other.late);
  into.early = std::max(into.early, other.early);
  into.read_at = std::max(into.read_at, other.read_at);
}

}  // namespace

std::vector<MarkingRecord> merged_by_interval(std::span<const MarkingRecord> records,
                                              MarkingMethod method) {
  std::vector<MarkingRecord> sorted{records.begin(), records.end()};
  if (!measures_loss(method)) {
    std::erase_if(sorted, [](const MarkingRecord& record) { return record.pulses == 0; });
    std::ranges::sort(sorted, {}, [](const MarkingRecord& record) {
      return std::tuple{record.flow, record.pulse_time};
    });
    return sorted;
  }
  std::ranges::sort(sorted, {}, order_of);
  std::vector<MarkingRecord> merged;
  merged.reserve(sorted.size());
  for (const MarkingRecord& record : sorted) {
    if (!merged.empty() && order_of(merged.back()) == order_of(record))
      add(merged.back(), record);
    else
      merged.push_back(record);
  }
  return merged;
}

std::vector<RecordPair> pair_by_interval(std::span<const MarkingRecord> first,
                                         std::span<const MarkingRecord> last) {
  std::vector<RecordPair> pairs;
  pairs.reserve(std::max(first.size(), last.size()));
  auto one = first.begin(), other = last.begin();
  while (one != first.end() || other != last.end()) {
    if (other == last.end() || (one != first.end() && order_of(*one) < order_of(*other)))
      pairs.push_back({&*one++, nullptr});
    else if (one == first.end() || order_of(*other) < order_of(*one))
      pairs.push_back({nullptr, &*other++});
    else
      pairs.push_back({&*one++, &*other++});
  }
  return pairs;
}

std::vector<RecordPair> pair_by_pulse(std::span<const MarkingRecord> first,
                                      std::span<const MarkingRecord> last) {
  const auto within_half = [](const MarkingRecord& a, const MarkingRecord& b) {
    const Duration apart = difference(a.pulse_time, b.pulse_time);
    return a.flow == b.flow && a.length == b.length &&
           (apart < Duration{} ? -apart : apart) < a.length.length() / 2;
  };
  const auto is_before = [](const MarkingRecord& candidate, const MarkingRecord& pulse) {
    return std::tuple{candidate.flow, candidate.pulse_time} <
           std::tuple{pulse.flow, pulse.pulse_time - pulse.length.length() / 2};
  };
  /// How many of `among` may be the partner, and the first of them.
  const auto candidates = [&](const MarkingRecord& pulse, std::span<const MarkingRecord> among) {
    const auto begin = std::ranges::lower_bound(among, pulse, is_before);
    auto from = begin;
    while (from != among.end() && from->flow == pulse.flow && !within_half(*from, pulse) &&
           from->pulse_time < pulse.pulse_time)
      ++from;
    auto to = from;
    while (to != among.end() && within_half(*to, pulse)) ++to;
    return std::span<const MarkingRecord>{from, to};
  };
  std::vector<RecordPair> pairs;
  pairs.reserve(first.size());
  for (const MarkingRecord& pulse : first) {
    const auto partners = candidates(pulse, last);
    RecordPair pair{.first = &pulse};
    if (partners.size() == 1 && candidates(partners.front(), first).size() == 1)
      pair.last = &partners.front();
    else
      pair.ambiguous = !partners.empty();
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace sojourn
