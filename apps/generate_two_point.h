#pragma once
// `sojourn generate --points 2`: two captures of the same traffic, and what lies between them.

#include <string>

#include "apps/generate_request.h"
#include "lab/two_point.h"

namespace CLI {
class App;
}

namespace sojourn {

/// The options that only two points have.
struct TwoPointRequest {
  unsigned points = 1;
  TwoPointOptions options;
  bool vlan = false;  ///< tagged at the last point
};

void add_two_point_options(CLI::App& generate, TwoPointRequest& request);
/// What contradicts, in one line; empty if all is well.
std::string two_point_contradiction(const GenerateRequest& request, const TwoPointRequest& points,
                                    const CLI::App& generate);

/// Writes NAME.first.pcap, NAME.last.pcap, NAME.delays.csv and NAME.flows.csv.
int run_generate_two_point(const GenerateRequest& request, const TwoPointRequest& points);

}  // namespace sojourn
