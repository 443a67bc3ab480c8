#pragma once
// What the user asked `sojourn rtt` to do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/time_bound.h"
#include "core/result.h"
#include "core/time.h"
#include "dataplane/kernel_program.h"
#include "estimate/expectation.h"
#include "estimate/sla.h"
#include "pipeline/live_loop.h"
#include "pipeline/rtt_options.h"

namespace sojourn {

struct RttRequest {
  std::vector<std::string> captures;
  std::vector<std::string> interfaces;
  Engine engine = Engine::automatic;
  Hook hook = Hook::tc;
  std::optional<double> most_samples;  ///< a second
  bool histograms = false;             ///< added up in the kernel
  bool kinds_named = false;            ///< by the user, one by one
  std::optional<Duration> duration;
  std::optional<Duration> every;  ///< a line of JSON for each part of this length
  std::string filter;
  RttOptions options;
  TableWishes table;  ///< what was said about it; options.table is what follows from that
  std::optional<TimeBound> split;   ///< when to compare groups before and after
  TimeRange range;                  ///< of captures
  std::vector<std::string> places;  ///< files of MaxMind's format
  std::size_t top = 10;
  GroupOrder sort = GroupOrder::samples;
  bool draw_heatmap = false;
  std::string html;          ///< file for the whole report as HTML
  std::string plot_heatmap;  ///< file for the heatmap as SVG
  std::vector<SlaRule> sla;
  std::string save_distribution;  ///< file to put the distributions aside in, empty for none
  std::string expect;             ///< such a file, to compare with
  ExpectOptions expect_options;
  bool json = false;
  std::string samples;  ///< file for the CSV, "-" for standard output, empty for none
  std::string plot;     ///< file for the SVG
  bool color = false;
  bool unicode = true;
};

/// Does what was asked, prints it, and gives the exit status.
int run_rtt(const RttRequest& request);

}  // namespace sojourn
