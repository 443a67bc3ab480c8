#pragma once
// `sojourn oneway --method marking`: its wishes, its options, and how it is made.

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "oneway/marking/marking_monitor.h"
#include "oneway/method.h"

namespace CLI {
class App;
}

namespace sojourn {

struct OnewayRequest;

struct MarkingWishes {
  MarkingSetup setup{.carrier = *MarkingCarrier::parse("dscp")};
  std::vector<MarkingFilter> flows;  ///< without any: all traffic
  std::vector<std::string> via;      ///< captures of points between, in the order of the path
};

void add_marking_options(CLI::App& group, OnewayRequest& request);
Result<std::unique_ptr<OnewayMethod>> make_marking_method(const OnewayRequest& request);

}  // namespace sojourn
