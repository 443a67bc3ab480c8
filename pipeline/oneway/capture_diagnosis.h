#pragma once
// Two captures without a common packet: what seems to be wrong with them?

#include <array>
#include <cstddef>
#include <cstdint>

#include "capture/source.h"
#include "core/time.h"
#include "oneway/label_options.h"
#include "pipeline/oneway/two_points.h"

namespace sojourn {

struct CaptureDiagnosis {
  enum class What : std::uint8_t {
    no_packets,         // of `point`
    apart_in_time,      // one ends before the other begins, and no packet is in both
    different_traffic,  // no packet is in both
    translated,         // `common` packets are in both, `apart` by the clocks, with other addresses
    beyond_the_window,  // `common` packets are in both, `apart` by the clocks
  };
  What what;
  Point point = Point::first;
  std::size_t common = 0;
  Duration apart{0};
  bool cut = false;  ///< packets were cut short, which may be why none match
};

/// From what is known without reading again.
CaptureDiagnosis diagnose(const std::array<PointInput, 2>& inputs);

/// Reads both captures again, from their beginning, and looks for common packets at any distance.
CaptureDiagnosis diagnose(const std::array<PointInput, 2>& inputs, const LabelOptions& label,
                          std::uint64_t seed, Source& first, Source& last);

}  // namespace sojourn
