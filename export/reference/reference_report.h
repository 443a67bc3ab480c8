#pragma once
// Delays that a point got from reference packets, for people and for programs.

#include <cstddef>
#include <string>
#include <string_view>

#include "store/references/reference_interval.h"

namespace sojourn {

/// A line of totals, which begins with `where` ("12:00:01 eth0"), and the `top` flows with the most
/// packets.
std::string reference_text(const ReferenceInterval& interval, std::string_view where,
                           std::size_t top);
/// One line of JSON, including its end.  `field` says what `where` is: "interface" or "point".
std::string reference_json(const ReferenceInterval& interval, std::string_view field,
                           std::string_view where);

std::string_view reference_csv_header();
std::string reference_csv(const ReferenceInterval& interval);

}  // namespace sojourn
