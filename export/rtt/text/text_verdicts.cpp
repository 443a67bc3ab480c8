#include <fmt/format.h>

#include <string>

#include "core/printable.h"
#include "core/units.h"
#include "export/rtt/expect_text.h"
#include "export/rtt/share_text.h"
#include "export/rtt/text/text_sections.h"

namespace sojourn {

void TextReport::sla() {
  if (report_.sla.empty() && report_.sla_groups.empty()) return;
  section("service level");
  for (const SlaResult& result : report_.sla) sla_line(result);
  for (const SlaGroups& groups : report_.sla_groups) sla_groups(groups);
}

void TextReport::sla_line(const SlaResult& result) {
  std::string_view mark = "?", color = "33";
  if (result.verdict == SlaVerdict::met) mark = unicode() ? "✓" : "+", color = "32";
  if (result.verdict == SlaVerdict::violated) mark = unicode() ? "✗" : "x", color = "31";
  std::string text = fmt::format("{} {:<9}  {}", mark, name_of(result.verdict),
                                 result.group ? *result.group : result.rule);
  if (result.leg) text += fmt::format("  {}", name_of(*result.leg));
  if (result.share)
    text += "  is " + share_sentence(*result.share);
  else if (!result.value)
    text += "  no samples";
  else {
    text += "  is " + format_duration(*result.value);
    if (result.interval->low != result.interval->high || !result.interval->bounded())
      text += fmt::format(" ({} to {}{})", format_duration(result.interval->low),
                          result.interval->bounded_above ? "" : "at least ",
                          format_duration(result.interval->high));
  }
  line(styled(text, color));
}

/// The groups that broke the rule, up to the limit; for the others only the number.
void TextReport::sla_groups(const SlaGroups& groups) {
  if (groups.groups() == 0) return line(fmt::format("{}: no group has samples", groups.rule));
  line(fmt::format("{}: of {} {}, {} violated, {} undecided, {} met", groups.rule,
                   format_count(groups.groups()), groups.groups() == 1 ? "group" : "groups",
                   format_count(groups.count(SlaVerdict::violated)),
                   format_count(groups.count(SlaVerdict::undecided)),
                   format_count(groups.count(SlaVerdict::met))));
  std::size_t shown = 0;
  for (const SlaResult& result : groups.shown)
    if (result.verdict == SlaVerdict::violated) {
      sla_line(result);
      ++shown;
    }
  if (const auto rest = groups.count(SlaVerdict::violated) - shown; rest > 0)
    line(fmt::format("  and {} more: see --top", format_count(rest)));
}

void TextReport::expect() {
  if (!report_.expect) return;
  const ExpectSummary& expect = *report_.expect;
  std::string since;
  if (expect.first) since = fmt::format(", measured {}", format_time(*expect.first).substr(0, 10));
  section(fmt::format("compared with {}{}", printable(expect.file), since));
  for (const ExpectResult& result : expect.comparison.results) {
    std::string_view mark = "?", color = "33";
    if (result.verdict == ShiftVerdict::same) mark = unicode() ? "✓" : "+", color = "32";
    if (result.shifted()) mark = unicode() ? "✗" : "x", color = "31";
    const std::string name =
        fmt::format("{} {}.{}:", mark, name_of(result.kind), name_of(result.leg));
    paragraph(styled(name, color) + " " + expect_sentence(result), "  ");
  }
  paragraph(expect_promise(expect.comparison));
}

}  // namespace sojourn
