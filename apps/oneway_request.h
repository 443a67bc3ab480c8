#pragma once
// What the user asked `sojourn oneway` to do.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "estimate/grouping.h"
#include "oneway/marking/marking_filter.h"
#include "pipeline/oneway/oneway_methods.h"
#include "pipeline/oneway/oneway_setup.h"

namespace sojourn {

struct OnewayRequest {
  std::string first, last;  ///< captures, or files of flow records
  std::string filter;
  const MethodChoice* method = nullptr;
  bool method_given = false;
  std::string marking_given;  ///< an option that records of marking answer themselves
  OnewaySetup setup;
  std::vector<MarkingFilter> marking_flows;  ///< without any: all traffic
  Duration clock_offset{0};                  ///< of the last point's clock, as the user knows it
  bool correct_skew = false;
  std::optional<Grouping> grouping;
  std::size_t top = 10;
  bool json = false;
  std::string write_records;   ///< file for the flow records of `first`, the only capture then
  std::string flows, samples;  ///< files for the CSVs, "-" for standard output, empty for none
  std::string plot;            ///< file for the SVG
  bool color = false;
  bool unicode = true;
};

/// Does what was asked, prints it, and gives the exit status.
int run_oneway(const OnewayRequest& request);

}  // namespace sojourn
