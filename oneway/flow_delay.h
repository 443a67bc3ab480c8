#pragma once
// What a method found about one flow between two points.

#include <cstdint>
#include <optional>

#include "core/flow_key.h"
#include "oneway/direction.h"

namespace sojourn {

/// A row of the flows CSV.  Unknown values are left out, never zero.
struct FlowDelay {
  FlowKey key;
  /// Packets of the flow that the method used: at the first point, or at the last point for a
  /// method that reads only there.  Packets whose fate is unknown are left out.
  std::uint64_t packets = 0;
  std::optional<double> mean_ns;    ///< may be negative by the clocks
  std::optional<double> stddev_ns;  ///< of the packets' delays, divided by their number: 0 for one
  /// Half of the 95 % interval of mean_ns, for a method that estimates and knows its error.
  std::optional<double> margin_ns;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::uint64_t> lost;  ///< of `packets`
  /// Its direction; delays of a backward flow read negative, apart from the clocks' offset.
  Direction direction = Direction::forward;
};

}  // namespace sojourn
