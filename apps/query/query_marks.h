#pragma once
// `sojourn query --marks`: loss and delay per interval, of what marking points sent to a collector.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/time.h"

namespace sojourn {

struct QueryMarksRequest {
  std::string store;
  Duration since{};
  std::vector<std::string> points;  ///< in the order of the path; empty: nobody asked
  bool json = false;
};

/// "north:south" or "north:mid:south"
Result<std::vector<std::string>> parse_mark_points(std::string_view text);

/// The same report that `sojourn oneway` makes of the points' own files.
Result<int> query_marks(const QueryMarksRequest& request);

}  // namespace sojourn
