#pragma once
// The methods behind `sojourn oneway --method`.  A new one is a file with a function that makes it,
// and a line in oneway_methods.cpp.

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "apps/oneway_request.h"
#include "core/result.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/method.h"

namespace CLI {
class App;
}

namespace sojourn {

struct MethodChoice {
  std::string_view name;
  std::string_view summary;  ///< one line of --help
  /// The error is one line: options that do not go together.
  Result<std::unique_ptr<OnewayMethod>> (*make)(const OnewayRequest& request);
  bool samples_packets =
      false;  ///< has delays of single packets: --samples and quantiles make sense
  std::optional<CnfEstimator>
      joins_records{};  ///< works on files of flow records too, by this estimator
  bool compares_no_packets =
      false;  ///< so it would not notice captures that do not belong together
};

std::span<const MethodChoice> oneway_methods();
const MethodChoice* oneway_method_named(std::string_view name);

/// Options that only some methods have.  With another method they are refused.
struct MethodOptionGroup {
  std::string_view methods;  ///< with commas between: "rli,rli-l"
  void (*add)(CLI::App& group, OnewayRequest& request);
};

std::span<const MethodOptionGroup> oneway_option_groups();

}  // namespace sojourn
