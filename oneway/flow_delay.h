#pragma once
// What a method found out about one flow between two points.

#include <cstdint>
#include <optional>

#include "core/flow_key.h"
#include "oneway/direction.h"

namespace sojourn {

/// A row of the flows CSV.  What a method cannot know is left out, never zero.
struct FlowDelay {
  FlowKey key;
  /// Packets of the flow that the method went by: at the first point, or at the last point for a
  /// method that looks only there.  Those whose fate the captures cannot tell are left out.
  std::uint64_t packets = 0;
  std::optional<double> mean_ns;    ///< negative if the clocks say so
  std::optional<double> stddev_ns;  ///< of the packets' delays, divided by their number
  /// Half of the 95 % interval of mean_ns, for a method that estimates and knows how well.
  std::optional<double> margin_ns;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::uint64_t> lost;  ///< of `packets`
  /// Which way it goes; delays of a flow that goes backward read negative, the clocks' offset
  /// aside.
  Direction direction = Direction::forward;
};

}  // namespace sojourn
