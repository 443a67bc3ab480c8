#pragma once
// Delays that a point got from reference packets, for people and for programs.

#include <cstddef>
#include <string>
#include <string_view>

#include "pipeline/reference/reference_observing.h"

namespace sojourn {

/// A line of totals and the `top` flows with the most packets.
std::string reference_text(const ReferenceInterval& interval, std::string_view interface,
                           std::size_t top);
/// One line of JSON, including its end.
std::string reference_json(const ReferenceInterval& interval, std::string_view interface);

std::string_view reference_csv_header();
std::string reference_csv(const ReferenceInterval& interval);

}  // namespace sojourn
