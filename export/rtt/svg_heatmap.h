#pragma once
// Delay over time as a picture.

#include <string>
#include <string_view>

#include "export/charts/svg_writer.h"
#include "export/rtt/heatmap_grid.h"
#include "export/rtt/rtt_report.h"

namespace sojourn {

inline constexpr double heatmap_panel_height = 300;

/// One panel at `top` of a sheet that is 960 wide: delays above, the share of unanswered requests
/// below, if that means loss.
void svg_heatmap_panel(SvgWriter& svg, double top, const DelayHeatmap& heatmap,
                       const HeatmapPanel& panel);

/// A self-contained SVG with a panel for each of heatmap_panels().
std::string svg_heatmap(const RttReport& report, bool with_title = true);

}  // namespace sojourn
