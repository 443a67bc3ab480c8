#include "estimate/loss_tally.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

#include "core/hash.h"
#include "estimate/group_order.h"

namespace sojourn {
namespace {

/// Times before 1970 are in negative slices.
std::int64_t slice_of(Timestamp time, Duration length) {
  const std::int64_t ns = to_ns(time);
  return ns >= 0 ? ns / length.count() : ~(~ns / length.count());
}

void merge_legs(LossByLeg& into, const LossByLeg& from) {
  for (std::size_t i = 0; i < leg_count; ++i) into[i].merge(from[i]);
}

}  // namespace

void LossCounts::add(std::uint16_t bits, double weight, std::uint64_t flow) {
  constexpr HashKey key = HashKey::from_seed(0x73686172);
  const std::size_t group = keyed_hash(key, flow, 0) % ClusteredCounts::groups;
  for (std::size_t i = 0; i < loss_sign_count; ++i)
    if ((bits >> i) & 1u) weights_[i][group] += static_cast<float>(weight);
  ++packets_seen_;
  segments_seen_ += (bits >> index_of(LossSign::segment)) & 1u;
}

void LossCounts::merge(const LossCounts& other) {
  for (std::size_t i = 0; i < loss_sign_count; ++i)
    for (std::size_t g = 0; g < ClusteredCounts::groups; ++g)
      weights_[i][g] += other.weights_[i][g];
  packets_seen_ += other.packets_seen_;
  segments_seen_ += other.segments_seen_;
}

double LossCounts::weight(LossSign sign) const {
  const Groups& groups = weights_[index_of(sign)];
  return std::accumulate(groups.begin(), groups.end(), 0.0, [](double sum, float weight) {
    return sum + static_cast<double>(weight);
  });
}

ShareEstimate LossCounts::share(LossSign sign) const {
  const LossSign base = base_of(sign);
  return share_of(ClusteredCounts{weights_[index_of(sign)], weights_[index_of(base)],
                                  base == LossSign::segment ? segments_seen_ : packets_seen_});
}

void LossTally::add(std::uint16_t bits, double weight, std::uint64_t flow, const Sample& sample) {
  const std::size_t leg = index_of(sample.leg);
  total_[leg].add(bits, weight, flow);
  if (options_.grouping) {
    const GroupKey key = options_.grouping->key_of(sample);
    auto found = groups_.find(key);
    if (found == groups_.end() && groups_.size() < options_.max_groups)
      found = groups_.try_emplace(key).first;
    if (found != groups_.end())
      found->second[leg].add(bits, weight, flow);
    else
      ++beyond_groups_.packets;
  }
  if (!options_.window) return;
  const std::int64_t number = slice_of(sample.time, *options_.window);
  if (slices_.contains(number) || slices_.size() < options_.max_slices)
    slices_[number][leg].add(bits, weight, flow);
  else
    ++beyond_slices_.packets;
}

// A row that finds no room here is beyond, as its packets would have been had they come here.
void LossTally::merge(const LossTally& other) {
  merge_legs(total_, other.total_);
  beyond_groups_ += other.beyond_groups_;
  beyond_slices_ += other.beyond_slices_;
  const auto join = [](auto& rows, const auto& others, std::size_t most, auto put, auto leave_out) {
    for (const auto& [id, row] : others)
      if (rows.contains(id) || rows.size() < most)
        put(rows[id], row);
      else
        leave_out(row);
  };
  const auto packets_to = [](Beyond& beyond) {
    return [&beyond](const LossByLeg& legs) {
      for (const LossCounts& counts : legs) beyond.packets += counts.packets_seen();
    };
  };
  const auto requests_to = [](Beyond& beyond) {
    return [&beyond](const RequestsByKind& kinds) {
      for (const RequestCounts& counts : kinds) beyond.requests += counts.requests;
    };
  };
  const auto add = [](RequestsByKind& into, const RequestsByKind& from) {
    for (std::size_t i = 0; i < from.size(); ++i) into[i] += from[i];
  };
  join(groups_, other.groups_, options_.max_groups, merge_legs, packets_to(beyond_groups_));
  join(slices_, other.slices_, options_.max_slices, merge_legs, packets_to(beyond_slices_));
  join(asking_groups_, other.asking_groups_, options_.max_groups, add, requests_to(beyond_groups_));
  join(asking_slices_, other.asking_slices_, options_.max_slices, add, requests_to(beyond_slices_));
}

void LossTally::ask(const Sample& sample) { count(sample, {.requests = 1}); }

void LossTally::answer(const Sample& sample) {
  count(sample,
        {.answers = 1, .answered = sample.weight, .squares = sample.weight * sample.weight});
}

void LossTally::count(const Sample& sample, const RequestCounts& more) {
  const std::size_t kind = index_of(sample.kind);
  if (options_.grouping && options_.grouping->fits_requests()) {
    const GroupKey key = options_.grouping->key_of(sample);
    auto found = asking_groups_.find(key);
    if (found == asking_groups_.end() && asking_groups_.size() < options_.max_groups)
      found = asking_groups_.try_emplace(key).first;
    if (found != asking_groups_.end())
      found->second[kind] += more;
    else
      beyond_groups_.requests += more.requests;
  }
  if (!options_.window) return;
  const std::int64_t number = slice_of(sample.time, *options_.window);
  if (asking_slices_.contains(number) || asking_slices_.size() < options_.max_slices)
    asking_slices_[number][kind] += more;
  else
    beyond_slices_.requests += more.requests;
}

auto LossTally::sum_of(const auto& rows) -> RequestsByKind {
  RequestsByKind sum;
  for (const auto& [id, kinds] : rows)
    for (std::size_t i = 0; i < kinds.size(); ++i) sum[i] += kinds[i];
  return sum;
}

std::vector<LossTally::RequestRow> LossTally::request_groups(std::size_t limit,
                                                             bool by_share) const {
  std::vector<RequestRow> rows;
  const RequestsByKind all = sum_of(asking_groups_);
  for (const auto& [key, kinds] : asking_groups_)
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i].requests > 0)
        rows.push_back({options_.grouping->label(key),
                        {},
                        static_cast<Kind>(i),
                        kinds[i].requests,
                        kinds[i].unanswered(options_.fixed_memory, all[i].weight())});
  const auto rank = [&](const RequestRow& row) {
    if (!by_share) return row.unanswered.part;
    return row.requests < enough_to_rank ? -1.0 : row.unanswered.value;
  };
  std::ranges::sort(rows, [&](const RequestRow& a, const RequestRow& b) {
    if (rank(a) != rank(b)) return rank(a) > rank(b);
    if (a.requests != b.requests) return a.requests > b.requests;
    return std::tie(a.label, a.kind) < std::tie(b.label, b.kind);
  });
  if (rows.size() > limit) rows.resize(limit);
  return rows;
}

std::vector<LossTally::RequestRow> LossTally::request_slices() const {
  std::vector<RequestRow> rows;
  const RequestsByKind all = sum_of(asking_slices_);
  for (const auto& [number, kinds] : asking_slices_)
    for (std::size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i].requests > 0)
        rows.push_back({{},
                        timestamp_from_ns(number * options_.window->count()),
                        static_cast<Kind>(i),
                        kinds[i].requests,
                        kinds[i].unanswered(options_.fixed_memory, all[i].weight())});
  return rows;
}

std::vector<LossTally::Row> LossTally::groups(std::size_t limit, bool by_share) const {
  struct Ranked {
    double lost;
    Row row;
  };
  const auto rank = [&](const LossCounts& counts) {
    const double lost = counts.weight(LossSign::retransmitted) + counts.weight(LossSign::late);
    if (!by_share) return lost;
    const double segments = counts.weight(LossSign::segment);
    return segments < static_cast<double>(enough_to_rank) ? -1.0 : lost / segments;
  };
  std::vector<Ranked> ranked;
  for (const auto& [key, legs] : groups_)
    for (std::size_t i = 0; i < leg_count; ++i)
      if (!legs[i].empty())
        ranked.push_back({rank(legs[i]),
                          {key, options_.grouping->label(key), {}, static_cast<Leg>(i), &legs[i]}});
  std::ranges::sort(ranked, [](const Ranked& a, const Ranked& b) {
    if (a.lost != b.lost) return a.lost > b.lost;
    const double mine = a.row.counts->weight(LossSign::segment);
    const double theirs = b.row.counts->weight(LossSign::segment);
    if (mine != theirs) return mine > theirs;
    return std::tie(a.row.label, a.row.leg) < std::tie(b.row.label, b.row.leg);
  });
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(limit, ranked.size()); ++i) rows.push_back(ranked[i].row);
  return rows;
}

std::vector<LossTally::Row> LossTally::slices() const {
  std::vector<Row> rows;
  for (const auto& [number, legs] : slices_)
    for (std::size_t i = 0; i < leg_count; ++i)
      if (!legs[i].empty())
        rows.push_back({{},
                        {},
                        timestamp_from_ns(number * options_.window->count()),
                        static_cast<Leg>(i),
                        &legs[i]});
  return rows;
}

}  // namespace sojourn
