#pragma once
// The distribution of delays as a picture.

#include <string>

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// A self-contained SVG: the cumulative distribution of every kind and leg with samples (only the
/// sum, for a kind that has it) over a logarithmic delay axis.  Delays of zero and below are drawn
/// at the left edge.
std::string svg_plot(const RttReport& report);

}  // namespace sojourn
