#pragma once
// What the user asked `sojourn point` to do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/point/collector_link.h"
#include "pipeline/live_loop.h"
#include "pipeline/point/point_run.h"

namespace sojourn {

struct PointRequest {
  std::string capture, interface;  ///< one of them
  std::string filter;
  Engine engine = Engine::automatic;
  bool kinds_named = false;  ///< by the user, one by one
  std::size_t rtt_memory = std::size_t{16} << 20;
  CollectorLinkOptions link;
  std::string secret_file;
  std::optional<Duration> duration;
  PointOptions options;
};

/// Does what was asked and gives the exit status.
int run_point(const PointRequest& request);

}  // namespace sojourn
