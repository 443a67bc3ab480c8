#include "estimate/distribution/flow_variance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sojourn {
namespace {

constexpr double group_count = FlowTag::groups;
constexpr double correction = group_count / (group_count - 1);

double at_least_one(double effect) { return effect < FlowVariance::by_chance ? 1 : effect; }

double middle_of(std::int32_t cell) {
  const std::int32_t last = FlowGroups::last_bucket(cell);
  return (static_cast<double>(LogBuckets::lowest(last - FlowGroups::buckets_per_cell + 1)) +
          static_cast<double>(LogBuckets::highest(last))) /
         2;
}

/// G/(G-1) sum_g z_g^2, where z_g is the excess of group g in `part` over its `share` of `whole`.
double spread(const FlowGroups::Row& part, const FlowGroups::Row& whole, double share) {
  double sum = 0;
  for (std::size_t g = 0; g < part.size(); ++g) {
    const double z = part[g] - share * whole[g];
    sum += z * z;
  }
  return correction * sum;
}

/// The jackknife_factor of each group.  With a handful of flows, which may be all there are, none
/// is left out.
FlowGroups::Row jackknife_factors(const FlowGroups::Row& whole, double weight, bool few) {
  FlowGroups::Row factors;
  for (std::size_t g = 0; g < whole.size(); ++g)
    factors[g] = few ? 1 : jackknife_factor(whole[g] / weight);
  return factors;
}

/// The same as spread() with each z_g as if group g had no part in `share`.
double left_out_spread(const FlowGroups::Row& part, const FlowGroups::Row& whole, double share,
                       const FlowGroups::Row& factors) {
  double sum = 0;
  for (std::size_t g = 0; g < part.size(); ++g) {
    const double z = (part[g] - share * whole[g]) * factors[g];
    sum += z * z;
  }
  return correction * sum;
}

}  // namespace

FlowVariance::FlowVariance(const LogHistogram& histogram, const FlowGroups& groups)
    : flows_(groups.count()) {
  FlowGroups::Row whole{}, sums{};
  groups.for_each([&](std::int32_t cell, const FlowGroups::Row& row) {
    for (std::size_t g = 0; g < row.size(); ++g) {
      whole[g] += row[g];
      sums[g] += row[g] * middle_of(cell);
    }
  });
  double weight = 0, group_squares = 0, sum = 0;
  for (std::size_t g = 0; g < whole.size(); ++g) {
    weight += whole[g];
    group_squares += whole[g] * whole[g];
    sum += sums[g];
  }
  if (weight <= 0) return;
  degrees_ = std::max(1.0, weight * weight / group_squares - 1);
  const FlowGroups::Row factors = jackknife_factors(whole, weight, too_few_flows());
  mean_variance_ = left_out_spread(sums, whole, sum / weight, factors) / (weight * weight);

  double squares = 0;
  std::vector<std::pair<std::int32_t, double>> cell_squares;
  histogram.squares().for_each([&](std::int32_t bucket, double amount) {
    const std::int32_t cell = FlowGroups::cell_of(bucket);
    if (cell_squares.empty() || cell_squares.back().first != cell)
      cell_squares.push_back({cell, 0});
    cell_squares.back().second += amount;
    squares += amount;
  });

  FlowGroups::Row even;
  even.fill(weight / group_count);
  const double of_constant_flows = spread(whole, even, 1) / squares;
  edges_.push_back({0, of_constant_flows});
  FlowGroups::Row below{};
  double weight_below = 0, squares_below = 0;
  std::size_t next = 0;
  groups.for_each([&](std::int32_t cell, const FlowGroups::Row& row) {
    for (std::size_t g = 0; g < row.size(); ++g) {
      below[g] += row[g];
      weight_below += row[g];
    }
    while (next < cell_squares.size() && cell_squares[next].first <= cell)
      squares_below += cell_squares[next++].second;
    const double f = weight_below / weight;
    const double of_samples =
        (1 - f) * (1 - f) * squares_below + f * f * std::max(squares - squares_below, 0.0);
    const bool inside = f < 1 - 1e-12 && next < cell_squares.size() && of_samples > 0;
    edges_.push_back({inside ? f : 1, inside
                                          ? left_out_spread(below, whole, f, factors) / of_samples
                                          : of_constant_flows});
  });
}

double FlowVariance::effect_at(double q) const {
  const auto above = std::ranges::lower_bound(edges_, q, {}, &Edge::fraction);
  if (above == edges_.begin()) return edges_.empty() ? 1 : above->effect;
  if (above == edges_.end()) return edges_.back().effect;
  const auto below = std::prev(above);
  const double width = above->fraction - below->fraction;
  return below->effect + (above->effect - below->effect) * (q - below->fraction) / width;
}

double FlowVariance::effect(double q) const {
  constexpr std::array middle = {0.2, 0.35, 0.5, 0.65, 0.8};
  double mean = 0;
  for (const double level : middle) mean += effect_at(level) / middle.size();
  return at_least_one(std::max(effect_at(q), mean));
}

double FlowVariance::greatest_effect() const {
  // The greatest of five exceeds a single one by chance: two deviations.
  constexpr double of_five_by_chance = 2 * by_chance - 1;
  double greatest = 1;
  for (const double level : {0.1, 0.25, 0.5, 0.75, 0.9})
    greatest = std::max(greatest, effect_at(level));
  return greatest < of_five_by_chance ? 1 : greatest;
}

double FlowVariance::effect_on_mean(double variance_of_samples) const {
  return variance_of_samples > 0 ? at_least_one(mean_variance_ / variance_of_samples) : 1;
}

}  // namespace sojourn
