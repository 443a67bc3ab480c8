#include <fmt/format.h>

#include <algorithm>

#include "core/printable.h"
#include "core/units.h"
#include "export/rtt/input_text.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {

/// How the capture itself limits the figures.
void TextReport::caveats() {
  std::string guessed;
  for (const Kind kind : {Kind::tcp, Kind::tcp_ts, Kind::response}) {
    const std::uint64_t count = measurement_.counters(kind).guessed_legs;
    if (count > 0)
      guessed += fmt::format("{}{} ({}%) of {}", guessed.empty() ? "" : ", ", format_count(count),
                             percent(count, measurement_.pooled(kind).count()), name_of(kind));
  }
  const KindCounters& tcp = measurement_.counters(Kind::tcp);
  if (guessed.empty() && tcp.super_packets == 0) return;
  line("");
  if (!guessed.empty())
    paragraph("legs guessed by port, since the capture lacks the SYN: " + guessed + " samples",
              "  ");
  if (tcp.super_packets == 0) return;
  const std::uint64_t segments = tcp.requests + tcp.super_packets_left_out;
  std::string text = fmt::format(
      "{} ({}%) of the tcp requests are larger than a packet: an interface divides or joins them "
      "(offloads). An acknowledgment answers the oldest that none has reached before.",
      format_count(tcp.super_packets), percent(std::min(tcp.super_packets, segments), segments));
  if (tcp.super_packets_left_out > 0)
    text += fmt::format(" {} were left out: too many at once.",
                        format_count(tcp.super_packets_left_out));
  paragraph(styled("warning: ", "33") + text, "  ");
}

void TextReport::losses() {
  const auto& input = report_.input;
  std::vector<NamedCount> forgotten = report_.table.counters;
  std::erase_if(forgotten, [](const NamedCount& counter) { return counter.second == 0; });
  if (!input.skipped.empty() || !forgotten.empty() || !input.warnings.empty()) line("");
  const auto list = [](const std::vector<NamedCount>& counts) {
    std::string text;
    for (const auto& [reason, count] : counts)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format_count(count), reason);
    return text;
  };
  if (!input.skipped.empty()) paragraph("skipped packets: " + list(input.skipped), "  ");
  if (!forgotten.empty()) paragraph("table " + report_.table.name + ": " + list(forgotten), "  ");
  for (const auto& warning : input.warnings)
    paragraph(styled("warning: ", "33") + printable(warning, 1000), "  ");
}

void TextReport::trust() {
  double error = 0;
  bool negative = false, weighted = false, has_hosts = false;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (const Kind kind : measured_kinds()) {
    const auto& pooled = measurement_.pooled(kind);
    if (pooled.empty()) continue;
    error = std::max(error, pooled.relative_error());
    negative = negative || *pooled.min() < Duration{0};
    weighted = weighted || pooled.total_weight() != static_cast<double>(pooled.count());
    fewest = std::min(fewest, pooled.count());
    has_hosts = has_hosts || kind == Kind::dns || kind == Kind::ntp || kind == Kind::icmp;
  }
  line("");
  std::string text = unicode() ? "±" : "+-";
  text += " covers the true median with 95 % confidence, by how much flows differ";
  if (has_hosts) text += " (for dns, ntp and icmp: pairs of hosts)";
  if (few_flows_ || few_samples_)
    text += fmt::format("; ? stands where there are too few {} to tell", !few_samples_ ? "flows"
                                                                         : !few_flows_
                                                                             ? "samples"
                                                                             : "flows or samples");
  text += error == 0
              ? ". Quantiles are those of the samples, to the nanosecond."
              : fmt::format(". Quantiles are those of the samples, within {:.1f} %.", 100 * error);
  if (weighted) text += " Samples are weighted for what the table could not keep.";
  if (!report_.table.promise.empty()) text += " " + report_.table.promise;
  text += fmt::format(" Table {}: {}, connections: {}", report_.table.name,
                      format_size(report_.table.memory_bytes),
                      format_size(report_.table.connection_bytes));
  text += report_.table.limit_bytes == 0
              ? "."
              : fmt::format(", of at most {}.", format_size(report_.table.limit_bytes));
  if (fewest < 100) text += " With fewer than 100 samples p99 is little more than the maximum.";
  if (!measurement_.pooled(Kind::tcp).empty())
    text += " tcp delays include what a receiver waits before it acknowledges.";
  if (negative) text += " Some delays are negative: the clock of the capture stepped back.";
  paragraph(text);
  if (report_.elapsed > Duration{0} && report_.input.packets > 0) {
    const double rate = static_cast<double>(report_.input.packets) * 1e3 /
                        static_cast<double>(report_.elapsed.count());
    line(styled(fmt::format("Read in {}: {:.2f} million packets/s.",
                            format_duration(report_.elapsed), rate),
                "2"));
  }
}

void TextReport::engine(const EngineSummary& engine) {
  std::string text = fmt::format("Engine: {}, {}", engine.name, engine.how);
  text += engine.why.empty() ? "." : fmt::format(" ({}).", engine.why);
  text += fmt::format(" {} packets seen, {} {}.", format_count(engine.packets),
                      format_count(engine.missed), name_of(engine.missed_what));
  if (engine.turned_away > 0)
    text += fmt::format(" {} of {} requests ({} %) were not let in; weights make up for them.",
                        format_count(engine.turned_away), format_count(engine.asked),
                        percent(engine.turned_away, engine.asked));
  if (engine.entry_probability && *engine.entry_probability < 1)
    text +=
        fmt::format(" At the end 1 of {:.3g} requests was let in.", 1 / *engine.entry_probability);
  if (engine.cost_ns)
    text += fmt::format(" {:.0f} ns a packet in the kernel's program.", *engine.cost_ns);
  text += fmt::format(" Memory: {} in the kernel, {} in this process.",
                      format_size(engine.kernel_bytes), format_size(engine.process_bytes));
  line("");
  paragraph(text);
}

}  // namespace sojourn
