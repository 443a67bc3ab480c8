#pragma once
// What `sojourn oneway` has to say, before it is text or JSON.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/oneway_request.h"
#include "core/time.h"
#include "estimate/distribution/distribution.h"
#include "oneway/clock.h"
#include "oneway/method.h"
#include "pipeline/two_points.h"

namespace sojourn {

/// Samples that belong together, with the loss of their flows.
struct GroupReport {
  std::string label;
  const Distribution* delays = nullptr;
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
};

struct PointReport {
  std::string name;
  std::uint64_t captured = 0;  ///< packets in the file
  PointInput input;
  std::vector<std::pair<std::string, std::uint64_t>> skipped;
};

struct ClockReport {
  std::optional<ClockSkew> skew;  ///< what the delays show; before the correction if there was one
  std::optional<ClockOffset> offset;  ///< what the two directions allow; after the correction
  bool corrected = false;
};

struct OnewayReport {
  const OnewayRequest* request = nullptr;
  std::array<PointReport, 2> points;
  OnewayResult result;
  const Distribution* delays = nullptr;  ///< of packets, or of flows' means for other methods
  std::vector<GroupReport> groups;       ///< the largest
  std::size_t group_count = 0;
  ClockReport clock;
  std::vector<std::string> warnings;
  Duration elapsed{0};

  std::uint64_t packets() const { return points[0].captured + points[1].captured; }
  /// The slowest flows by their mean.
  std::vector<const FlowDelay*> slowest_flows() const;
};

/// Notes and warnings that follow from the figures.
void add_remarks(OnewayReport& report);
/// All that was asked for: the CSV of flows, the plot, and text or JSON.
Result<void> print_report(const OnewayReport& report);

std::string oneway_text(const OnewayReport& report);
std::string oneway_json(const OnewayReport& report);
std::string oneway_plot(const OnewayReport& report);

/// The sentence about the clocks.
std::string clock_sentence(const OnewayReport& report);

}  // namespace sojourn
