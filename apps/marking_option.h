#pragma once
// How traffic is marked, for `sojourn mark --method` and `sojourn oneway --marking`.

#include <string_view>

#include "core/parse.h"
#include "core/result.h"
#include "oneway/marking/marking_rules.h"

namespace sojourn {

inline Result<MarkingMethod> parse_marking_method(std::string_view text) {
  if (const auto method = marking_method_named(text)) return *method;
  return unknown_name(text, "marking method", marking_method_names());
}

}  // namespace sojourn
