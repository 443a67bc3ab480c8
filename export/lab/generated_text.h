#pragma once
// What `sojourn generate` wrote, in a few lines.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lab/recorder/record_traffic.h"
#include "lab/recorder/record_two_points.h"

namespace sojourn {

/// Where it was written, and how to make it again.
struct GeneratedFiles {
  std::string capture, truth;
  std::string_view model;
  std::uint64_t seed = 0;
};

std::string generated_text(const GeneratedFiles& files, const RecordedTraffic& made);
/// Four files that begin with `name`.
std::string generated_text(const std::string& name, const TwoPointTrace& trace,
                           const TwoPointTruth& truth);

}  // namespace sojourn
