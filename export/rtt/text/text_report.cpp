#include "export/rtt/text/text_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/printable.h"
#include "core/units.h"
#include "export/rtt/input_text.h"
#include "export/rtt/text/text_sections.h"

namespace sojourn {

std::string TextReport::write(const ScreenSize* screen) {
  heading();
  if (screen) latest_heatmap(*screen);
  for (const std::string& loss : input_losses(report_.input)) {
    line("");
    paragraph(styled("warning: ", "33") + loss, "  ");
  }
  if (measured_kinds().empty())
    nothing_measured();
  else {
    if (!screen) path();
    server_or_network();
    delays();
    if (screen) path();
    shape();
  }
  requests();
  loss();
  if (!screen) heatmap();
  windows();
  groups();
  changes();
  sla();
  expect();
  caveats();
  losses();
  if (!measured_kinds().empty()) trust();
  if (report_.engine) engine(*report_.engine);
  return take();
}

void TextReport::heading() {
  constexpr std::size_t most_names = 3;
  const auto& files = report_.input.files;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), most_names); ++i)
    names += (i > 0 ? ", " : "") + printable(files[i]);
  if (files.size() > most_names) names += fmt::format(" and {} more", files.size() - most_names);
  line(styled(names, "1"));

  std::string text = fmt::format("{} {}, {}", format_count(report_.input.packets),
                                 report_.input.packets == 1 ? "packet" : "packets",
                                 format_size(report_.input.bytes));
  if (!report_.input.first || !report_.input.last) return line(text);
  const Duration length = *report_.input.last - *report_.input.first;
  if (length > Duration{0}) {
    const double rate =
        static_cast<double>(report_.input.packets) * 1e9 / static_cast<double>(length.count());
    text +=
        fmt::format(", {} packets/s", format_count(static_cast<std::uint64_t>(std::llround(rate))));
  }
  line(text);
  const std::string start = format_time(*report_.input.first);
  line(fmt::format("{} from {} {} UTC", format_duration(length), start.substr(0, 10),
                   start.substr(11, 8)));
}

void TextReport::nothing_measured() {
  line("\n" + styled("No round trip was measured.", "1"));
  std::uint64_t requests = 0, ambiguous = 0, skipped = 0;
  for (std::size_t i = 0; i < kind_count; ++i) {
    requests += measurement_.counters(static_cast<Kind>(i)).requests;
    ambiguous += measurement_.counters(static_cast<Kind>(i)).ambiguous;
  }
  for (const auto& [reason, count] : report_.input.skipped) skipped += count;

  if (report_.input.packets == 0)
    paragraph("The input holds no packets, or --from, --to and --filter let none of them through.");
  else if (requests > 0)
    paragraph(fmt::format(
        "{} requests were seen{}, but no response to any of them. Does the capture hold both "
        "directions? Are its responses later than --expire?",
        format_count(requests),
        ambiguous > 0
            ? fmt::format(" ({} of them ambiguous: see --keep-ambiguous)", format_count(ambiguous))
            : ""));
  else if (skipped >= report_.input.packets)
    paragraph("Every packet was skipped, for the reasons given below.");
  else {
    std::string kinds;
    for (std::size_t i = 0; i < kind_count; ++i)
      if (report_.kinds.has(static_cast<Kind>(i)))
        kinds += (kinds.empty() ? "" : ", ") + std::string{kind_names[i]};
    paragraph(fmt::format(
        "No packet is a request of the kinds asked for ({}). Other kinds can be asked for with "
        "--kind; --inside and --filter may have left them out.",
        kinds));
  }
}

std::string text_report(const RttReport& report, const TextOptions& options) {
  return TextReport{report, options}.write(nullptr);
}

std::string live_report(const RttReport& report, const TextOptions& options,
                        const ScreenSize& screen) {
  return TextReport{report, options}.write(report.draw_heatmap ? &screen : nullptr);
}

}  // namespace sojourn
