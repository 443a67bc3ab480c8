#pragma once
// How much precision is lost because samples of one flow are correlated.

#include <cstdint>
#include <vector>

#include "estimate/distribution/flow_groups.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

/// A group of flows with much of the weight pulls the mean towards itself, and seems to differ less
/// from it than it does: by 1 - h, where h is its share.  The factor that leaves it out, as in the
/// delete-a-group jackknife (Kott, Journal of Official Statistics 17, 2001), is 1 / (1 - h);
/// relative to groups of equal size, which G/(G-1) already covers.
constexpr double jackknife_factor(double share) {
  constexpr double even = 1.0 / FlowTag::groups, most = 0.9;
  return share <= even ? 1 : (1 - even) / (1 - (share < most ? share : most));
}

/// The variance of F between groups of flows, relative to that of independent samples.
///
/// With W_g the weight of group g, A_g(t) that of its delays up to t and z_g = A_g(t) - F(t) W_g,
///
///     V_flows(t)   = G/(G-1) sum_g z_g^2 / W^2                          random groups, Wolter
///     2007,
///                                                     each z_g with jackknife_factor(W_g / W)
///     V_samples(t) = ( (1-F)^2 sum_{delay <= t} w^2 + F^2 sum_{delay > t} w^2 ) / W^2
///     effect(t)    = V_flows(t) / V_samples(t)                           the design effect, Kish
///
/// at the ends of the cells, and linear in F between.  Where a cell begins or ends all delays, F
/// cannot vary.  There the effect is that of flows with one delay each, from the weights of the
/// groups only:  G/(G-1) sum_g (W_g - W/G)^2 / sum w^2.
class FlowVariance {
 public:
  /// Of the same samples.
  FlowVariance(const LogHistogram& histogram, const FlowGroups& groups);

  /// How many times greater the variance at the quantile q is than for independent samples; at
  /// least 1.
  ///
  /// The greater of the effect at q and its mean at five quantiles in the middle.  Far out there
  /// are few flows, and if the large ones happen to be elsewhere, their effect is not visible.  An
  /// effect below one deviation above 1, which groups of independent samples might have by chance,
  /// counts as none.
  double effect(double q) const;
  /// The greatest effect at the deciles 1, 2.5, 5, 7.5 and 9: for a test over the whole range.
  double greatest_effect() const;
  /// Of the mean; at least 1.  `variance_of_samples` is that of independent samples.
  double effect_on_mean(double variance_of_samples) const;

  /// Degrees of freedom of the variance between groups: the equivalent number of groups of equal
  /// weight, minus one, W^2 / sum W_g^2 - 1 (Carter, Schnepel and Steigerwald, Review of Economics
  /// and Statistics 99, 2017); at least 1.
  double degrees() const { return degrees_; }
  FlowCount flows() const { return flows_; }

  /// One standard deviation of a variance estimated from 32 groups, sqrt(2/31), above 1.
  static constexpr double by_chance = 1.254;
  /// With fewer flows their variation is unknown.
  static constexpr double fewest_flows = 6;
  bool too_few_flows() const { return flows_.flows < fewest_flows; }

 private:
  struct Edge {
    double fraction;  ///< F at the end of a cell
    double effect;
  };

  double effect_at(double q) const;

  std::vector<Edge> edges_;
  double mean_variance_ = 0;  ///< between groups
  double degrees_ = 1;
  FlowCount flows_;
};

}  // namespace sojourn
