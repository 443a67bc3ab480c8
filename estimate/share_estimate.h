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
};

/// As many requests as `whole`, each lost or not by its own chance (Wilson 1927).
ShareEstimate share_of(std::uint64_t part, std::uint64_t whole);

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
