#pragma once
// Options of `sojourn oneway` that only some methods have.

#include <span>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace sojourn {

struct OnewayRequest;

/// With another method than these the options are refused.
struct MethodOptionGroup {
  std::string_view methods;  ///< with commas between: "rli,rli-l"
  void (*add)(CLI::App& group, OnewayRequest& request);
};

std::span<const MethodOptionGroup> oneway_option_groups();

/// What contradicts the method, in one line; empty if all is well.
std::string method_contradiction(const OnewayRequest& request);

}  // namespace sojourn
