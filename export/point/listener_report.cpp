#include "export/point/listener_report.h"

#include <fmt/format.h>

#include "core/units.h"

namespace sojourn {
namespace {

Json those_that_occurred(const CountsByReason& counts) {
  Json object = Json::object();
  for (const auto& [reason, count] : counts)
    if (count > 0) object[std::string{reason}] = count;
  return object;
}

/// "  could not be read: bad-template 20, bad-value 3"; empty if there were none.
std::string line_of(std::string_view what, const CountsByReason& counts) {
  std::string line;
  for (const auto& [reason, count] : counts)
    if (count > 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", reason, format_count(count));
  return line.empty() ? line : fmt::format("  {}: {}\n", what, line);
}

}  // namespace

CountsByReason closed_connections(const ipfix::ListenerCounters& counters) {
  return {{"too-many", counters.refused_connections},
          {"certificate", counters.refused_certificates},
          {"handshake", counters.failed_handshakes},
          {"slow", counters.closed_for_slowness},
          {"not-ipfix", counters.closed_for_bad_messages}};
}

CountsByReason unreadable_parts(const ipfix::ListenerCounters& counters) {
  CountsByReason parts;
  for (std::size_t i = 0; i < ipfix::TroubleCounters::size; ++i) {
    const auto trouble = static_cast<ipfix::Trouble>(i);
    parts.emplace_back(name_of(trouble), counters.troubles[trouble]);
  }
  return parts;
}

Json listener_json(const ListenerFigures& figures) {
  const ipfix::ListenerCounters& counters = figures.counters;
  return {{"open_connections", figures.open_connections},
          {"connections", counters.connections},
          {"messages", counters.messages},
          {"bytes", counters.bytes},
          {"records", counters.data_records},
          {"closed", those_that_occurred(closed_connections(counters))},
          {"troubles", those_that_occurred(unreadable_parts(counters))},
          {"forgotten_sources", counters.forgotten_sources}};
}

std::string listener_summary(const ListenerFigures& figures) {
  const ipfix::ListenerCounters& counters = figures.counters;
  std::string text =
      fmt::format("collector: {} messages with {} records, {} connections\n",
                  format_count(counters.messages), format_count(counters.data_records),
                  format_count(counters.connections)) +
      line_of("connections refused or closed", closed_connections(counters)) +
      line_of("could not be read", unreadable_parts(counters));
  if (counters.forgotten_sources > 0)
    text += fmt::format("  {} silent sources of UDP were forgotten\n",
                        format_count(counters.forgotten_sources));
  return text;
}

}  // namespace sojourn
