#include "export/lab/lab_page.h"

#include "export/charts/svg_writer.h"
#include "export/lab/lab_text.h"

namespace sojourn {
namespace {

constexpr std::string_view head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sojourn lab report</title>
<style>
body { font: 15px/1.5 "DejaVu Sans", Verdana, Arial, sans-serif; color: #222; max-width: 1000px; margin: 2em auto; padding: 0 1em; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.5em; border-top: 1px solid #ccc; padding-top: 1em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; display: block; overflow-x: auto; }
caption { text-align: left; font-weight: bold; padding-bottom: .4em; }
th, td { padding: .25em .8em .25em 0; text-align: left; vertical-align: top; border-bottom: 1px solid #e4e4e4; }
.met { color: #00694c; } .missed { color: #b34700; font-weight: bold; }
.quiet { color: #666; }
svg { max-width: 100%; height: auto; }
details { margin: 1em 0; } summary { cursor: pointer; }
</style>
</head>
<body>
)";

class Page {
 public:
  template <class... Values>
  void put(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    text_ += '\n';
  }
  void add(std::string_view text) { text_ += text; }
  std::string finish() && { return std::move(text_); }

 private:
  std::string text_;
};

void put_verdicts(Page& page, std::span<const LabResult> results) {
  page.put("<table><tr><th>experiment</th><th>source</th><th>claims met</th></tr>");
  for (const auto& [experiment, report, seconds] : results) {
    const std::size_t missed = missed_claims(report), claims = report.claims.size();
    page.put(
        R"(<tr><td><a href="#{0}">{0}</a> {1}</td><td>{2}</td><td class="{3}">{4} of {5}</td></tr>)",
        escaped(experiment->name), escaped(experiment->summary), escaped(experiment->source),
        missed == 0 ? "met" : "missed", claims - missed, claims);
  }
  page.put("</table>");
}

void put_claims(Page& page, const std::vector<Claim>& claims) {
  page.put("<table><tr><th>claim</th><th>paper</th><th>ours</th><th>verdict</th></tr>");
  for (const Claim& claim : claims)
    page.put(R"(<tr><td>{}</td><td>{}</td><td>{}</td><td class="{}">{}</td></tr>)",
             escaped(claim.statement), escaped(paper_text(claim)), escaped(claim.ours),
             claim.met ? "met" : "missed", verdict_of(claim));
  page.put("</table>");
}

/// Long tables are folded: the figures show the same.
void put_table(Page& page, const ResultTable& table) {
  page.put("<details{}><summary>{} ({} rows)</summary>", table.rows.size() <= 12 ? " open" : "",
           escaped(table.title), table.rows.size());
  page.add("<table><tr>");
  for (const std::string& column : heads_of(table)) page.add("<th>" + escaped(column) + "</th>");
  page.add("</tr>\n");
  for (const auto& row : table.rows) {
    page.add("<tr>");
    for (const Cell& cell : row) page.add("<td>" + escaped(cell.text) + "</td>");
    page.add("</tr>\n");
  }
  page.put("</table></details>");
}

}  // namespace

std::string lab_page(std::span<const LabResult> results, const LabSetting& setting) {
  Page page;
  page.add(head);
  page.put("<h1>Sojourn lab report</h1>");
  page.put(R"(<p class="quiet">Seed {}, {} run. The same seed gives the same numbers.</p>)",
           setting.seed, setting.quick ? "scaled-down" : "full");
  put_verdicts(page, results);
  for (const LabResult& result : results) {
    const Experiment& experiment = *result.experiment;
    page.put(R"(<h2 id="{0}">{0}: {1}</h2>)", escaped(experiment.name),
             escaped(experiment.summary));
    page.put(R"(<p class="quiet">{}; took {:.1f} s</p>)", escaped(experiment.source),
             result.seconds);
    put_claims(page, result.report.claims);
    for (const LabFigure& figure : result.report.figures) page.add(svg_chart(figure.chart));
    for (const ResultTable& table : result.report.tables) put_table(page, table);
  }
  page.put("</body>\n</html>");
  return std::move(page).finish();
}

}  // namespace sojourn
