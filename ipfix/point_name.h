#pragma once
// Which names a point may have.

#include <string_view>

namespace sojourn::ipfix {

/// What a collector takes: 1 to 255 bytes that are printable as they are (core/printable.h),
/// without spaces, ',' and ':'.  Names come from the network and reach logs, reports, metrics and
/// the page.
/// ':' divides the two points of a segment: a point called "north:south" would pass for one.
bool is_point_name(std::string_view name);

}  // namespace sojourn::ipfix
