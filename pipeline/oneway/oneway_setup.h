#pragma once
// The settings of a measurement between two points, for any method.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/source.h"
#include "core/result.h"
#include "core/time.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/marking/marking_multipoint.h"
#include "oneway/method.h"

namespace sojourn {

/// Each method uses the settings that concern it and ignores the rest.
struct OnewaySetup {
  OnewayOptions options;
  CnfOptions cnf;                      ///< the estimator follows from the method
  double capacity_bytes_a_second = 0;  ///< RLI: of the link before the last point; 0: unknown
  /// RLI: bytes a packet takes on that link besides the IP packet; unset: by the link type.
  std::optional<std::uint32_t> link_overhead = {};
  MarkingSetup marking{.carrier = *MarkingCarrier::parse("dscp")};
  std::optional<Duration> clock_error;  ///< how far the clocks may be apart, if that is known

  /// Marking: points between, in the order of the path, and how to open their captures.
  std::vector<std::string> via;
  std::vector<PathSegment> segments;  ///< marking: how the points are connected, if not in a row
  std::function<Result<std::unique_ptr<Source>>(const std::string&)> open_via;
};

}  // namespace sojourn
