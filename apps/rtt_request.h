#pragma once
// What the user asked `sojourn rtt` to do.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "estimate/expectation.h"
#include "estimate/sla.h"
#include "pipeline/rtt_options.h"

namespace sojourn {

struct RttRequest {
  std::vector<std::string> captures;
  std::string interface;
  std::optional<Duration> duration;
  std::string filter;
  RttOptions options;
  TableWishes table;  ///< what was said about it; options.table is what follows from that
  std::size_t top = 10;
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
