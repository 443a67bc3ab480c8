#pragma once
// Options of `sojourn oneway` that only some methods have.

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace sojourn {

struct MethodChoice;
struct OnewayRequest;

/// With a method that they are not for, the options are refused.
struct MethodOptionGroup {
  bool (*is_for)(const MethodChoice& method);
  void (*add)(CLI::App& group, OnewayRequest& request);
};

std::span<const MethodOptionGroup> oneway_option_groups();

/// Names with commas between: "rli,rli-l,rli-queue".
std::string method_list(bool (*which)(const MethodChoice&));

/// What contradicts the method, in one line; empty if all is well.
std::string method_contradiction(const OnewayRequest& request);

}  // namespace sojourn
