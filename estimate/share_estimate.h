#pragma once
// A share with its confidence interval, from counts of flows that may differ.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sojourn {

/// `part` of `whole`, from 0 to 1.
struct ShareEstimate {
  double part = 0, whole = 0;  ///< weights: how many there really were
  double value = 0;
  double low = 0, high = 1;  ///< the true share lies between, with 95 % confidence
  bool bounded = false;      ///< false where too few flows were seen: then low is 0 and high 1
  bool by_weights = false;   ///< what a fixed table did not see through is in it by estimate
};

/// As many requests as `whole`, each lost or not by its own chance (Wilson 1927).
ShareEstimate share_of(std::uint64_t part, std::uint64_t whole);

/// What is left of `whole` requests when answers are taken away of which only some were seen, each
/// standing for as many as its weight, 1 / p.  `weights` and `squares` are sums over those seen.
///
/// whole - weights is unbiased (Horvitz and Thompson 1952), and below 0 in half of the cases where
/// nothing is left.  It is shown as 0 then, so that the value is too high by up to 0.4 of its
/// standard error.  The interval knows of that: with one weight the number seen is binomial, of
/// `whole` trials with chance (1 - share) / weight, whose interval is Wilson's; weights that differ
/// are taken for squares / weights, which gives the sum its variance, squares - weights^2 / whole.
/// Where nothing was lost low is 0, but for one case in 40.
///
/// `usual_weight` is that of answers to others: of a few answers, those that weigh most are missing
/// more often than not.  0 if it is unknown; then nothing is bounded where no answer was seen.
ShareEstimate share_besides(double whole, double weights, double squares, double usual_weight);

/// Counts by groups of flows: packets of one flow are lost together, so that flows, not packets,
/// are what varies.
struct ClusteredCounts {
  static constexpr std::size_t groups = 16;

  std::array<float, groups> part{}, whole{};
  std::uint64_t seen = 0;  ///< packets behind `whole`, each counted once
};

/// Wilson's interval with as many independent packets as would vary as much as the groups do
/// (delete-a-group jackknife of the ratio, Kott 2001), and Student's t for their number.  nullopt
/// of an interval, that is `bounded` false, with fewer than 4 groups that have packets.
ShareEstimate share_of(const ClusteredCounts& counts);

}  // namespace sojourn
