#include "export/marking/marking_report_text.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "core/printable.h"
#include "core/units.h"
#include "export/json_values.h"

namespace sojourn {
namespace {

// As wide as most terminals; the flow comes last, as it may be longer.
constexpr auto row_format = "{:<12}{:>11}{:>13}{:>11}{:>11}{:>10}  {}\n";

/// The time of day to the millisecond: no interval is shorter.
std::string time_text(Timestamp time) { return format_time(time).substr(11, 12); }

std::string or_dash(Duration duration) {
  return duration == Duration{} ? "-" : format_duration(duration);
}

std::string_view verb_of(MarkingDuty duty) {
  switch (duty) {
    case MarkingDuty::mark:
      return "marks";
    case MarkingDuty::observe:
      return "observes";
    case MarkingDuty::restore:
      return "restores";
  }
  return {};
}

}  // namespace

std::string marking_heading(const MarkingReporter& who, std::string_view interface,
                            TcDirection direction, std::string_view how) {
  return fmt::format("{} {} at {}, {}, {}: {} in {}, intervals of {}, {} {}\n",
                     printable(who.point), verb_of(who.duty), printable(interface),
                     direction == TcDirection::egress ? "egress" : "ingress", how,
                     name_of(who.setup.method), who.setup.carrier.name(), who.setup.length.name(),
                     who.setup.flows.size(), who.setup.flows.size() == 1 ? "flow" : "flows") +
         fmt::format("from {}, UTC\n", format_time(who.since).substr(0, 19)) +
         fmt::format(row_format, "interval", "packets", "pulse after", "late", "early", "not ours",
                     "flow");
}

std::string marking_text(const MarkingReporter& who, const MarkingReport& report) {
  const Timestamp start = who.setup.length.start_of(report.interval);
  std::string doubt;
  if (report.doubt)
    doubt = fmt::format("  ({})", marking_fault_names[static_cast<std::size_t>(*report.doubt)]);
  if (report.records.empty())
    return fmt::format(row_format, time_text(start), 0, "-", "-", "-", 0, "-" + doubt);
  std::string lines;
  for (const MarkingRecord& r : report.records)
    fmt::format_to(std::back_inserter(lines), row_format, time_text(start), format_count(r.packets),
                   r.pulses == 0 ? "-" : format_duration(difference(r.pulse_time, start)),
                   or_dash(r.late), or_dash(r.early), format_count(r.other + r.marked_before),
                   who.setup.flows[r.flow].text() + doubt);
  return lines;
}

std::string marking_json(const MarkingReporter& who, const MarkingReport& report) {
  const auto object = [&] {
    Json line;
    line["point"] = who.point;
    line["duty"] = name_of(who.duty);
    line["marking"] = name_of(who.setup.method);
    line["carrier"] = who.setup.carrier.name();
    line["interval"] = who.setup.length.name();  // as --interval has it
    line["interval_ns"] = to_ns(who.setup.length.length());
    line["number"] = report.interval;
    line["start_ns"] = to_ns(who.setup.length.start_of(report.interval));
    line["read_ns"] = to_ns(report.read_at);
    line["not_valid"] = report.doubt
                            ? Json(marking_fault_names[static_cast<std::size_t>(*report.doubt)])
                            : Json(nullptr);
    return line;
  };
  if (report.records.empty()) {
    Json line = object();
    line["flow"] = nullptr;
    line["packets"] = 0;
    return line_text(line);
  }
  std::string lines;
  for (const MarkingRecord& r : report.records) {
    Json line = object();
    line["flow"] = who.setup.flows[r.flow].text();
    line["packets"] = r.packets;
    line["pulses"] = r.pulses;
    line["pulse_ns"] = r.pulses > 0 ? Json(to_ns(r.pulse_time)) : Json(nullptr);
    line["late_ns"] = to_ns(r.late);
    line["early_ns"] = to_ns(r.early);
    line["middle"] = r.middle;
    line["contrary"] = r.contrary;
    line["other"] = r.other;
    line["marked_before"] = r.marked_before;
    if (who.copies) line["repeats"] = r.repeats;
    lines += line_text(line);
  }
  return lines;
}

std::string left_alone_text(const MarkingReporter& who, const MarkingLeftAlone& left) {
  std::string text;
  const auto say = [&](std::uint64_t count, std::string_view why) {
    if (count > 0)
      text += fmt::format("{}: {} packets left alone: {}\n", printable(who.point),
                          format_count(count), why);
  };
  say(left.not_ip, "no IP");
  say(left.no_flow, "of no monitored flow");
  say(left.no_carrier, "no place for this carrier");
  say(left.no_room, "no room for the option within the interface's MTU");
  say(left.local, "between neighbours, no router passes them on");
  say(left.unread, "cut off within a header");
  return text;
}

}  // namespace sojourn
