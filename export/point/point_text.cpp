#include "export/point/point_text.h"

#include <fmt/format.h>

#include "core/printable.h"
#include "core/units.h"

namespace sojourn {
namespace {

/// Of this run, and of what an earlier run left.
std::string spool_text(const ipfix::Endpoint& collector, const ipfix::SpoolCounters& spool) {
  std::string text = fmt::format(
      "  to {} over {}: {} records sent, {} left in the spool, {} thrown away\n",
      collector.to_string(), name_of(collector.transport),
      format_count(spool.appended.records - spool.waiting.records - spool.discarded.records),
      format_count(spool.waiting.records), format_count(spool.discarded.records));
  if (spool.left_over.records > 0)
    text += fmt::format(
        "  {} records of an earlier run were in the spool, {} of them are still there\n",
        format_count(spool.left_over.records), format_count(spool.left_over_waiting.records));
  return text;
}

}  // namespace

std::string point_status(const PointFigures& figures, double packets_per_second,
                         const ipfix::Endpoint& collector, bool connected) {
  const PointCounters& counters = figures.counters;
  std::string line =
      fmt::format("{}: {} packets ({}/s), {} selected, {} records", printable(figures.name),
                  format_count(counters.packets_seen),
                  format_count(static_cast<std::uint64_t>(packets_per_second)),
                  format_count(counters.packets_selected), format_count(counters.records_exported));
  if (figures.round_trips)
    line += fmt::format(", {} round trips", format_count(*figures.round_trips));
  line += fmt::format("  {} {}", connected ? "->" : "-x", collector.to_string());
  if (counters.records_spooled > 0)
    line += fmt::format(", {} wait", format_count(counters.records_spooled));
  if (counters.records_discarded > 0)
    line += fmt::format(", {} thrown away", format_count(counters.records_discarded));
  return line;
}

std::string point_summary(const PointFigures& figures, const PointSelecting& selecting,
                          const ipfix::Endpoint& collector, const ipfix::SpoolCounters& spool) {
  const PointCounters& counters = figures.counters;
  std::string text =
      fmt::format("{}: {} packets seen, {} selected, in {} records\n", printable(figures.name),
                  format_count(counters.packets_seen), format_count(counters.packets_selected),
                  format_count(spool.appended.records)) +
      spool_text(collector, spool);
  if (figures.round_trips) {
    text += fmt::format("  {} round trips", format_count(*figures.round_trips));
    if (figures.round_trips_left_out > 0)
      text += fmt::format(", {} left out: more cells than a report may have",
                          format_count(figures.round_trips_left_out));
    text += '\n';
  }
  if (!selecting.in_kernel.empty())
    text +=
        fmt::format("  selected in the kernel, {}; {} packets could only be judged outside of it\n",
                    selecting.in_kernel, format_count(selecting.undecided));
  else if (!selecting.why_in_socket.empty())
    text += fmt::format("  selected from a socket: {}\n", selecting.why_in_socket);
  if (selecting.round_trips_missed > 0)
    text += fmt::format("  {} round trips were missed: their ring was full\n",
                        format_count(selecting.round_trips_missed));
  if (counters.packets_dropped > 0)
    text += fmt::format("  the kernel dropped {} packets before they could be read\n",
                        format_count(counters.packets_dropped));
  return text;
}

std::string counting_point_summary(const std::string& name, std::uint64_t packets,
                                   const ipfix::Endpoint& collector,
                                   const ipfix::SpoolCounters& spool) {
  return fmt::format("{}: {} packets counted, in {} records\n", printable(name),
                     format_count(packets), format_count(spool.appended.records)) +
         spool_text(collector, spool);
}

}  // namespace sojourn
