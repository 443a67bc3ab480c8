#include "capture/source_warnings.h"

#include <fmt/format.h>

#include <chrono>

#include "core/units.h"

namespace sojourn {
namespace {

constexpr Duration usual_step_back = std::chrono::seconds{1};
constexpr std::uint64_t usual_share = 4;  // one in

}  // namespace

std::vector<std::string> time_warnings(const SourceCounters& counters) {
  std::vector<std::string> warnings;
  if (counters.unlikely_times > 0)
    warnings.push_back(fmt::format(
        "{} of {} packets are dated before 1970 or after 2106: the clock or the time resolution of "
        "the capture is wrong, and so may be the delays",
        format_count(counters.unlikely_times), format_count(counters.packets)));
  const bool unusual = counters.furthest_back >= usual_step_back ||
                       counters.backward_times * usual_share >= counters.packets;
  if (counters.backward_times > 0 && unusual)
    warnings.push_back(fmt::format(
        "{} of {} packets are dated before the packet in front of them, by up to {}: delays across "
        "such steps are wrong; put the capture in order first (reordercap), unless its clock was "
        "set",
        format_count(counters.backward_times), format_count(counters.packets),
        format_duration(counters.furthest_back)));
  return warnings;
}

std::vector<std::string> all_warnings(const Source& source, const std::string& name) {
  std::vector<std::string> warnings(source.warnings().begin(), source.warnings().end());
  for (std::string& warning : time_warnings(source.counters()))
    warnings.push_back(name.empty() ? std::move(warning) : name + ": " + warning);
  return warnings;
}

}  // namespace sojourn
