#pragma once
// What a process that measures and serves the page reports about itself: on the page, and at its
// end.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "export/json_values.h"

namespace sojourn {

struct WatchFigures {
  std::string interface;
  std::uint64_t packets = 0;
  std::uint64_t dropped_by_kernel = 0;
  std::vector<std::pair<std::string, std::uint64_t>> skipped = {};  ///< by the reason
  std::uint64_t samples = 0;
  std::uint64_t samples_left_out = 0;  ///< more cells than a report may have
  Duration busy{0};                    ///< of the thread that measures
  std::size_t table_bytes = 0;
  std::uint64_t reports_thrown_away = 0;  ///< the store did not keep up
};

/// Without figures no report has been made yet.
Json watch_json(const std::optional<WatchFigures>& figures);
/// One line, including its end.
std::string watch_text(const WatchFigures& figures);

}  // namespace sojourn
