#pragma once
// `sojourn query --references`: flows' delays by reference packets, of what points sent to a
// collector.

#include <cstddef>
#include <string>

#include "core/result.h"
#include "core/time.h"

namespace sojourn {

struct QueryReferencesRequest {
  std::string store;
  Duration since{};
  std::string point;  ///< empty: all of them
  bool json = false, csv = false;
};

/// For each point all intervals as one: the same table that the point prints; as CSV, the lines
/// that it would write.
Result<void> query_references(const QueryReferencesRequest& request);

}  // namespace sojourn
