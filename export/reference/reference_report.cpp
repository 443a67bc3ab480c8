#include "export/reference/reference_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/parse.h"
#include "core/printable.h"
#include "core/units.h"
#include "export/flow_name.h"
#include "export/json_values.h"

namespace sojourn {
namespace {

std::string nanoseconds(double ns) { return format_duration(Duration{std::llround(ns)}); }

}  // namespace

std::string reference_text(const ReferenceInterval& interval, std::string_view where,
                           std::size_t top) {
  const ReferenceSeen seen = interval.seen.value_or(ReferenceSeen{});
  std::string text =
      fmt::format("{}: {} packets, {} flows, {} measured", where, format_count(interval.packets()),
                  format_count(interval.flows.size()), format_count(interval.estimated()));
  if (interval.estimated() > 0) text += ", mean " + nanoseconds(interval.mean_ns());
  text += fmt::format("; {} references", format_count(seen.references));
  const auto mention = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", format_count(count), what);
  };
  mention(seen.lost, "lost");
  mention(seen.reordered, "overtaken");
  mention(seen.of_others, "of other senders");
  mention(seen.off, "more than 17 s off: a clock was set");
  mention(interval.left_only(), "packets by the reference before them alone");
  mention(seen.before_first, "packets before the first reference, not measured");
  mention(seen.after_last, "packets 10 s and more after the last reference, not measured");
  mention(seen.no_room, "packets of flows without room");
  text += '\n';
  if (interval.flows.empty() || top == 0) return text;
  std::vector<ReferenceFlow> largest(std::min(top, interval.flows.size()));
  std::ranges::partial_sort_copy(interval.flows, largest, std::ranges::greater{},
                                 &ReferenceFlow::packets, &ReferenceFlow::packets);
  std::size_t width = 4;
  for (const ReferenceFlow& flow : largest) width = std::max(width, flow_name(flow.key).size());
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "  {:<{}}{:>10}{:>10}{:>11}{:>11}\n", "flow", width, "packets", "measured",
                 "mean", "deviation");
  for (const ReferenceFlow& flow : largest)
    fmt::format_to(out, "  {:<{}}{:>10}{:>10}{:>11}{:>11}\n", flow_name(flow.key), width,
                   format_count(flow.packets), format_count(flow.estimated),
                   flow.estimated > 0 ? nanoseconds(flow.mean_ns) : "-",
                   flow.estimated > 0 ? nanoseconds(flow.deviation_ns) : "-");
  return text;
}

std::string reference_json(const ReferenceInterval& interval, std::string_view field,
                           std::string_view where) {
  const ReferenceSeen seen = interval.seen.value_or(ReferenceSeen{});
  Json flows = Json::array();
  for (const ReferenceFlow& flow : interval.flows) {
    Json one{{"protocol", protocol_name(flow.key.protocol)},
             {"source", flow.key.source.to_string()},
             {"source_port", flow.key.source_port},
             {"destination", flow.key.destination.to_string()},
             {"destination_port", flow.key.destination_port},
             {"packets", flow.packets},
             {"measured", flow.estimated},
             {"left_only", flow.left_only},
             {"delay_mean_ns", nullptr},
             {"delay_stddev_ns", nullptr}};
    if (flow.estimated > 0) {
      one["delay_mean_ns"] = flow.mean_ns;
      one["delay_stddev_ns"] = flow.deviation_ns;
    }
    flows.push_back(std::move(one));
  }
  const Json line{{field, where},
                  {"begin_ns", to_ns(interval.begin)},
                  {"end_ns", to_ns(interval.end)},
                  {"packets", interval.packets()},
                  {"measured", interval.estimated()},
                  {"left_only", interval.left_only()},
                  {"before_first_reference", seen.before_first},
                  {"after_last_reference", seen.after_last},
                  {"flows_without_room", seen.no_room},
                  {"not_read", seen.unread},
                  {"references",
                   {{"used", seen.references},
                    {"lost", seen.lost},
                    {"reordered", seen.reordered},
                    {"of_others", seen.of_others},
                    {"off", seen.off}}},
                  {"flows", std::move(flows)}};
  return line_text(line);
}

std::string reference_sums_text(std::string_view point, const ReferenceSums& sums,
                                std::size_t top) {
  const ReferenceInterval total = sums.total();
  std::string text = reference_text(
      total,
      fmt::format("{}, {} to {}, {} intervals", printable(point, 255),
                  format_time(total.begin).substr(0, 19), format_time(total.end).substr(11, 8),
                  format_count(sums.intervals())),
      top);
  if (total.flows.size() > top)
    text += fmt::format("  ... and {} flows with fewer packets, which --json tells\n",
                        format_count(total.flows.size() - top));
  return text;
}

std::string reference_heading(Timestamp begin, std::string_view interface) {
  return fmt::format("{} {}", format_time(begin).substr(11, 8), printable(interface));
}

std::string reference_sent_text(std::string_view interface, std::string_view destination,
                                const ReferenceSendingCounters& sent, bool adaptive) {
  std::string text =
      fmt::format("{}: {} reference packets sent to {}, {} others passed", printable(interface),
                  format_count(sent.references), destination, format_count(sent.packets));
  if (sent.references > 0 && sent.packets >= sent.references)
    text += fmt::format(" (one for {})", format_count(sent.packets / sent.references));
  if (sent.unsent > 0) text += fmt::format(", {} could not be sent", format_count(sent.unsent));
  if (adaptive) text += fmt::format(", the link was {:.0f} % busy", 100 * sent.utilisation);
  return text + '\n';
}

std::string reference_sent_json(std::string_view interface, const ReferenceSendingCounters& sent) {
  return line_text({{"interface", interface},
                    {"sent", sent.references},
                    {"unsent", sent.unsent},
                    {"packets", sent.packets}});
}

std::string_view reference_csv_header() {
  return "begin_ns,end_ns,protocol,source,source_port,destination,destination_port,packets,"
         "measured,delay_mean_ns,delay_stddev_ns,left_only\n";
}

std::string reference_csv(const ReferenceInterval& interval) {
  std::string lines;
  const auto out = std::back_inserter(lines);
  for (const ReferenceFlow& flow : interval.flows) {
    const FlowKey& key = flow.key;
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},", to_ns(interval.begin), to_ns(interval.end),
                   protocol_name(key.protocol), key.source.to_string(), key.source_port,
                   key.destination.to_string(), key.destination_port, flow.packets, flow.estimated);
    if (flow.estimated > 0)
      fmt::format_to(out, "{},{}", std::llround(flow.mean_ns), std::llround(flow.deviation_ns));
    else
      lines += ',';
    fmt::format_to(out, ",{}\n", flow.left_only);
  }
  return lines;
}

}  // namespace sojourn
