#pragma once
// All results of a measurement between two points, independent of the output format.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "export/text_options.h"
#include "oneway/flow_delay.h"
#include "pipeline/oneway/oneway_groups.h"
#include "pipeline/oneway/oneway_run.h"

namespace sojourn {

struct CaptureReport {
  std::string name;            ///< of its capture
  std::uint64_t captured = 0;  ///< packets in it
  std::vector<std::pair<std::string, std::uint64_t>> skipped;
};

/// `measured` is borrowed and must outlive the report.
struct OnewayReport {
  const OnewayMeasurement* measured = nullptr;
  const MethodChoice* method = nullptr;
  OnewayOptions options;
  std::array<CaptureReport, 2> points;
  Duration clock_offset{0};             ///< of the last point's clock, subtracted from its times
  std::optional<Duration> clock_error;  ///< bound of the clocks' offset, if known
  std::string grouping;                 ///< "prefix/24/48"; empty: no groups
  std::vector<GroupDelay> groups;       ///< all, the largest first
  std::size_t top = 10;                 ///< maximum number of flows and groups
  std::vector<std::string> notes;       ///< beyond the method's own
  std::vector<std::string> warnings;
  Duration elapsed{0};  ///< how long the run took; 0 if unknown

  std::uint64_t packets() const { return points[0].captured + points[1].captured; }
  /// The slowest flows by their mean, at most `top`.
  std::vector<const FlowDelay*> slowest_flows() const;
  /// The largest groups, at most `top`.
  std::span<const GroupDelay> largest_groups() const;
};

/// Notes and warnings that follow from the figures.
void add_remarks(OnewayReport& report);

/// The report for people: fits 80 columns, as far as names allow.
std::string oneway_text(const OnewayReport& report, const TextOptions& options = {});
/// One JSON document with a newline at its end.
std::string oneway_json(const OnewayReport& report);
/// The distribution of delays as SVG.
std::string oneway_plot(const OnewayReport& report);

}  // namespace sojourn
