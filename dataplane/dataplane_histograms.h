#pragma once
// What the program has added up, as it lies in memory that both sides see.

#include <span>

#include "dataplane/kernel/abi.h"

namespace sojourn {

/// One histogram after the other (histogram_number() in dataplane_options.h); it goes on growing
/// while it is read.  Empty if samples are handed over one by one.
struct DataplaneHistograms {
  std::span<const dp_bin> bins;     ///< config.bins of each
  std::span<const dp_cell> cells;   ///< a quarter as many
  std::span<const dp_marks> marks;  ///< one of each
};

}  // namespace sojourn
