#pragma once
// A share with its confidence interval, from counts of flows that may differ.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace sojourn {

/// `part` of `whole`, from 0 to 1.
struct ShareEstimate {
  double part = 0, whole = 0;  ///< weights: the estimated true numbers
  double value = 0;
  double low = 0, high = 1;  ///< the true share lies between, with 95 % confidence
  bool bounded = false;      ///< false with too few flows: then low is 0 and high 1
  bool by_weights = false;   ///< includes an estimate of what a fixed-memory table left out
};

/// As many requests as `whole`, each lost or not independently (Wilson 1927).
ShareEstimate share_of(std::uint64_t part, std::uint64_t whole);

/// The rest of `whole` requests after subtracting the answers, of which only some were seen, each
/// representing as many as its weight, 1 / p.  `weights` and `squares` are sums over those seen.
///
/// whole - weights is unbiased (Horvitz and Thompson 1952), and below 0 in half of the cases in
/// which nothing is left.  It is shown as 0 then, so the value is too high by up to 0.4 of its
/// standard error.  The interval accounts for that.  With one weight the number seen is binomial,
/// of `whole` trials with probability (1 - share) / weight, whose interval is Wilson's.  Different
/// weights are replaced by squares / weights, which gives the sum its variance, squares - weights^2
/// / whole.  If nothing was lost, `low` is 0, except in one case in 40.
///
/// `usual_weight` is the weight of answers to other requests: among a few answers, those with the
/// largest weights are usually missing.  0 if it is unknown; then the share is unbounded if no
/// answer was seen.
ShareEstimate share_besides(double whole, double weights, double squares, double usual_weight);

/// Counts by groups of flows: packets of one flow are lost together, so the variation is between
/// flows, not between packets.
struct ClusteredCounts {
  static constexpr std::size_t groups = 16;

  std::array<float, groups> part{}, whole{};
  std::uint64_t seen = 0;  ///< packets behind `whole`, each counted once
};

/// Wilson's interval with the number of independent packets that would vary as much as the groups
/// (delete-a-group jackknife of the ratio, Kott 2001), and Student's t for their number.  No
/// interval, that is `bounded` false, with fewer than 4 groups that have packets.
ShareEstimate share_of(const ClusteredCounts& counts);

}  // namespace sojourn
