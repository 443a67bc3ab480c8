#pragma once
// How traffic is marked, for `sojourn mark --method` and `sojourn oneway --marking`.

#include <fmt/format.h>

#include <string_view>

#include "core/result.h"
#include "oneway/marking/marking_rules.h"

namespace sojourn {

inline Result<MarkingMethod> parse_marking_method(std::string_view text) {
  if (const auto method = marking_method_named(text)) return *method;
  return failure(
      fmt::format("'{}' is no marking method; they are step, pulse, double and multiplexed", text));
}

}  // namespace sojourn
