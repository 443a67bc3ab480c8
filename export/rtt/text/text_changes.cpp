// Which groups became slower or faster.

#include <fmt/format.h>

#include "core/printable.h"
#include "core/units.h"
#include "export/rtt/expect_text.h"
#include "export/rtt/text/text_sections.h"
#include "export/text_cells.h"

namespace sojourn {

using Align = TextTable::Align;

void TextReport::changes() {
  if (!report_.changes) return;
  const GroupChanges& changes = *report_.changes;
  if (changes.at) {
    const std::string at = format_time(*changes.at);
    section(fmt::format("what changed at {} {} UTC, by {}", at.substr(0, 10), at.substr(11, 8),
                        measurement_.grouping()->name()));
    if (changes.shown.empty()) return line("no group has samples both before and after");
  } else {
    section(fmt::format("what changed since {}, by {}", printable(report_.expect->file),
                        measurement_.grouping()->name()));
    if (changes.shown.empty()) return line("no group has samples both now and in the file");
  }
  TextTable rows({Align::left, Align::right, Align::right, Align::right, Align::right, Align::left,
                  Align::left, Align::left});
  rows.row({"verdict", "p50 was", "is", "p95 was", "is", "kind", "leg",
            measurement_.grouping()->name()});
  for (const GroupChange& change : changes.shown)
    rows.row({std::string{name_of(change.verdict)}, compact(change.before.median),
              compact(change.after.median), compact(change.before.p95), compact(change.after.p95),
              std::string{name_of(change.kind)}, std::string{name_of(change.leg)}, change.label});
  table(rows);
  paragraph(changes_sentence(changes));
}

}  // namespace sojourn
