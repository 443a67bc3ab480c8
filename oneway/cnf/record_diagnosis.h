#pragma once
// Diagnoses records of two points that have nothing in common.

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/time.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/point.h"

namespace sojourn {

struct RecordDiagnosis {
  enum class What : std::uint8_t {
    no_records,         // of `point`
    beyond_the_window,  // `common` records are in both, `apart` by the clocks
    different_labels,   // `common` records are of flows that are in both, and no label agrees
    apart_in_time,      // no flow is in both, and one ends before the other begins
    different_traffic,  // no flow is in both
  };
  What what;
  Point point = Point::first;
  std::size_t common = 0;
  Duration apart{0};
};

RecordDiagnosis diagnose_records(std::span<const FlowRecord> first,
                                 std::span<const FlowRecord> last);

}  // namespace sojourn
