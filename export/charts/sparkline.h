#pragma once
// The distribution of delays, drawn in one line of text each.

#include <cstddef>
#include <string>
#include <vector>

#include "estimate/distribution/distribution.h"
#include "export/charts/delay_axis.h"

namespace sojourn {

/// One character per slice of the axis, whose height is the slice's weight relative to the fullest
/// slice.  A slice with samples is never drawn as empty.
std::string sparkline(const Distribution& distribution, const DelayAxis& axis, std::size_t width,
                      bool unicode);

/// The axis below: a line with ticks, and a line with their labels as far as there is room.
std::vector<std::string> axis_lines(const DelayAxis& axis, std::size_t width, bool unicode);

}  // namespace sojourn
