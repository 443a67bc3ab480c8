#include "export/point/watch_report.h"

#include <fmt/format.h>

#include <utility>

#include "core/printable.h"
#include "core/units.h"

namespace sojourn {

Json watch_json(const std::optional<WatchFigures>& known) {
  if (!known) return Json::object({{"reports_thrown_away", 0}});
  const WatchFigures& figures = *known;
  Json skipped = Json::object();
  for (const auto& [reason, count] : figures.skipped) skipped[reason] = count;
  Json per_packet = nullptr;
  if (figures.packets > 0)
    per_packet = static_cast<double>(to_ns(figures.busy)) / static_cast<double>(figures.packets);
  return {{"interface", figures.interface},
          {"packets", figures.packets},
          {"dropped_by_kernel", figures.dropped_by_kernel},
          {"skipped", std::move(skipped)},
          {"samples", figures.samples},
          {"samples_left_out", figures.samples_left_out},
          {"ns_per_packet", std::move(per_packet)},
          {"table_bytes", figures.table_bytes},
          {"reports_thrown_away", figures.reports_thrown_away}};
}

std::string watch_text(const WatchFigures& figures) {
  return fmt::format("{}: {} packets, {} round trips, {} dropped by the kernel\n",
                     printable(figures.interface), format_count(figures.packets),
                     format_count(figures.samples), format_count(figures.dropped_by_kernel));
}

}  // namespace sojourn
