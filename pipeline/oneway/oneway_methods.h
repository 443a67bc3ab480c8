#pragma once
// The methods of one-way measurement, by name.  A new one is a file with a function that makes it,
// and a line in oneway_methods.cpp.

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "core/result.h"
#include "oneway/cnf/cnf_method.h"
#include "oneway/method.h"
#include "pipeline/oneway/oneway_setup.h"

namespace sojourn {

using MadeMethod = Result<std::unique_ptr<OnewayMethod>>;

struct MethodChoice {
  std::string_view name;
  std::string_view summary;  ///< one line
  /// The error is one line, about settings that exclude each other.
  MadeMethod (*make)(const OnewaySetup& setup);
  /// Has delays of single packets, and so quantiles of them.
  bool samples_packets = false;
  /// Works on flow records too, with this estimator.
  std::optional<CnfEstimator> joins_records{};
  /// Would not notice captures that do not belong together.
  bool compares_no_packets = false;
};

std::span<const MethodChoice> oneway_methods();
const MethodChoice* oneway_method_named(std::string_view name);

}  // namespace sojourn
