#include "estimate/measurement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <tuple>
#include <utility>

namespace sojourn {

KindCounters& KindCounters::operator+=(const KindCounters& other) {
  requests += other.requests;
  ambiguous += other.ambiguous;
  left_out += other.left_out;
  estimated_ambiguous += other.estimated_ambiguous;
  guessed_legs += other.guessed_legs;
  unclear += other.unclear;
  super_packets += other.super_packets;
  super_packets_left_out += other.super_packets_left_out;
  return *this;
}

Measurement::Measurement(const MeasurementOptions& options)
    : keep_ambiguous_(options.keep_ambiguous),
      weights_are_counts_(options.weights_are_counts),
      grouping_(options.grouping),
      over_time_(options.window || options.heatmap) {
  for (auto& legs : legs_)
    for (auto& leg : legs) leg = Distribution{options.keep};
  if (options.grouping) groups_.emplace(options.max_groups, options.keep);
  if (options.grouping && options.split) {
    split_ = options.split;
    before_.emplace(options.max_groups, options.keep);
    after_.emplace(options.max_groups, options.keep);
  }
  if (options.window) windows_.emplace(*options.window, options.max_slices, options.keep);
  if (options.heatmap) heatmap_.emplace(options.heatmap_column);
}

std::uint64_t Measurement::unmatched_requests(Kind kind) const {
  const KindCounters& counted = counters(kind);
  const Distribution& headline = pooled(kind);
  const std::uint64_t answered =
      weights_are_counts_ ? static_cast<std::uint64_t>(std::llround(headline.total_weight()))
                          : headline.count();
  const std::uint64_t others =
      answered + (keep_ambiguous_ ? 0 : counted.ambiguous) + counted.left_out.total();
  return counted.requests - std::min(counted.requests, others);
}

double Measurement::estimated_answered(Kind kind) const {
  // Where ambiguous requests are kept, they are among the samples.
  return pooled(kind).total_weight() + (keep_ambiguous_ ? 0 : counters(kind).estimated_ambiguous);
}

double Measurement::estimated_unanswered(Kind kind) const {
  const double rest = static_cast<double>(counters(kind).requests) - estimated_answered(kind);
  return rest > 0 ? rest : 0;
}

void Measurement::settle(Kind kind, Leg leg) const {
  Waiting& plain = waiting_[index_of(kind)][index_of(leg)];
  WaitingWeighted& weighted = weighted_[index_of(kind)][index_of(leg)];
  if (plain.count == 0 && weighted.count == 0) return;
  Distribution& delays = legs_[index_of(kind)][index_of(leg)];
  delays.add_all({plain.delays_ns.data(), plain.count}, {plain.flows.data(), plain.count});
  delays.add_all({weighted.delays_ns.data(), weighted.count},
                 {weighted.weights.data(), weighted.count},
                 {weighted.flows.data(), weighted.count});
  plain.count = weighted.count = 0;
}

void Measurement::add_over_time(Kind kind, Leg leg, Timestamp time, Duration delay, double weight,
                                FlowTag flow) {
  if (windows_) windows_->add(time, kind, leg, delay, weight, flow);
  if (!heatmap_) return;
  const Timestamp asked = timestamp_from_ns(difference_ns(to_ns(time), delay.count()));
  heatmap_->add(asked, kind, leg, delay, weight);
  if (!headline_is_sum(kind) || leg == Leg::sum) heatmap_->add_answered(asked, kind, weight);
}

void Measurement::add_to_group(const Sample& sample, FlowTag flow) {
  // Groups by flow do not vary between flows: there the samples within a flow vary.
  if (grouping_->by(Grouping::By::flow)) flow = next_stranger();
  const GroupId id{grouping_->key_of(sample), sample.kind, sample.leg};
  groups_->add(id, sample.delay, sample.weight, flow);
  if (split_)
    (sample.time < *split_ ? before_ : after_)->add(id, sample.delay, sample.weight, flow);
}

void Measurement::merge(Measurement&& other) {
  for (std::size_t kind = 0; kind < kind_count; ++kind) {
    for (std::size_t leg = 0; leg < leg_count; ++leg)
      legs_[kind][leg].merge(other.leg(static_cast<Kind>(kind), static_cast<Leg>(leg)));
    counters_[kind] += other.counters_[kind];
    pooled_[kind].reset();
  }
  if (groups_ && other.groups_) groups_->merge(*other.groups_);
  if (split_ && other.split_) {
    before_->merge(*other.before_);
    after_->merge(*other.after_);
  }
  if (windows_ && other.windows_) windows_->merge(*other.windows_);
  if (heatmap_ && other.heatmap_) heatmap_->merge(*other.heatmap_);
  other = Measurement{};  // its samples are in here now; release the memory
}

const Distribution& Measurement::pooled(Kind kind) const {
  if (headline_is_sum(kind)) return leg(kind, Leg::sum);
  for (std::size_t i = 0; i < leg_count; ++i) settle(kind, static_cast<Leg>(i));
  const Legs& legs = legs_[index_of(kind)];
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < leg_count; ++i)
    if (!is_part(static_cast<Leg>(i))) total += legs[i].count();
  for (std::size_t i = 0; i < leg_count; ++i)
    if (!is_part(static_cast<Leg>(i)) && legs[i].count() == total) return legs[i];  // one is all

  auto& pooled = pooled_[index_of(kind)];
  if (!pooled || pooled->count() != total) {
    pooled.emplace(Keep::every_sample);  // exact if all its parts are
    for (std::size_t i = 0; i < leg_count; ++i)
      if (!is_part(static_cast<Leg>(i))) pooled->merge(legs[i]);
  }
  return *pooled;
}

std::uint64_t Measurement::samples() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kind_count; ++kind)
    sum += pooled(static_cast<Kind>(kind)).count();
  return sum;
}

std::vector<Measurement::Group> Measurement::groups_by(GroupOrder order, std::size_t limit) const {
  if (!groups_ || limit == 0) return {};
  struct Ranked {
    GroupRank rank;
    Groups::Entry entry;
  };
  std::vector<Ranked> ranked;
  for (const Groups::Entry& entry : groups_->entries())
    ranked.push_back({rank_of(*entry.distribution, order), entry});
  // Labels are costly for a million groups: first cut by rank, then name and sort the rest.
  std::ranges::sort(ranked, std::greater{}, &Ranked::rank);
  if (ranked.size() > limit) {
    const GroupRank least = ranked[limit - 1].rank;
    std::erase_if(ranked, [&](const Ranked& one) { return one.rank < least; });
  }
  std::vector<std::pair<GroupRank, Group>> named;
  for (const auto& [rank, entry] : ranked)
    named.emplace_back(rank, Group{grouping_->label(entry.id.key), entry.id.key, entry.id.kind,
                                   entry.id.leg, entry.distribution});
  std::ranges::sort(named, [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return std::tie(a.second.label, a.second.kind, a.second.leg) <
           std::tie(b.second.label, b.second.kind, b.second.leg);
  });
  if (named.size() > limit) named.resize(limit);
  std::vector<Group> groups;
  for (auto& [rank, group] : named) groups.push_back(std::move(group));
  return groups;
}

std::vector<Measurement::SplitGroup> Measurement::groups_at_split() const {
  std::vector<SplitGroup> groups;
  if (!split_) return groups;
  for (const Groups::Entry& entry : before_->entries())
    if (const Distribution* const after = after_->find(entry.id))
      groups.push_back({entry.id, entry.distribution, after});
  return groups;
}

std::vector<Groups::Entry> Measurement::groups_of(Kind kind) const {
  if (!groups_) return {};
  auto entries = groups_->entries();
  std::erase_if(entries, [kind](const Groups::Entry& entry) { return entry.id.kind != kind; });
  return entries;
}

std::vector<Measurement::WindowRow> Measurement::window_rows() const {
  std::vector<WindowRow> rows;
  if (!windows_) return rows;
  for (const auto& [number, slice] : windows_->slices()) {
    for (std::size_t kind = 0; kind < kind_count; ++kind)
      for (std::size_t leg = 0; leg < leg_count; ++leg)
        if (const auto& distribution = slice[kind][leg])
          rows.push_back({windows_->start_of(number), static_cast<Kind>(kind),
                          static_cast<Leg>(leg), distribution.get()});
  }
  return rows;
}

std::optional<Duration> Measurement::window() const {
  return windows_ ? std::optional{windows_->length()} : std::nullopt;
}

}  // namespace sojourn
