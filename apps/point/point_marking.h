#pragma once
// Options and run of a point that marks traffic, reads its marks, or takes them away.

#include <optional>
#include <string>
#include <vector>

#include "apps/point/collector_link.h"
#include "pipeline/marking/live_marking.h"

namespace CLI {
class App;
}

namespace sojourn {

struct PointMarkingRequest {
  std::vector<MarkingDuty> duties;  ///< one, or none if this is another kind of point
  LiveMarkingOptions live{.interface = {},
                          .program = {.setup = {.carrier = *MarkingCarrier::parse("dscp")}}};
  std::vector<MarkingFilter> flows;
  std::optional<TcDirection> direction;
  std::optional<Duration> clock_error;
  std::string records;  ///< CSV
  std::optional<CollectorLinkOptions> to;
  // As for any point.
  bool json = false;
  std::string name;
  std::optional<Duration> duration;

  bool wanted() const { return !duties.empty(); }
};

void add_marking_point_options(CLI::App& point, PointMarkingRequest& request);
/// What contradicts or is missing, in one line; empty if all is well.
std::string complete_marking_request(PointMarkingRequest& request, const CLI::App& point);
/// Does what was asked and gives the exit status.
int run_point_marking(const PointMarkingRequest& request);

}  // namespace sojourn
