#include "export/rtt/html_page.h"

#include "export/charts/svg_writer.h"

namespace sojourn {
namespace {

// Rules of a style sheet override SVG attributes: so the same picture works in both schemes.
constexpr std::string_view style = R"(
:root{color-scheme:light dark;--ink:#222;--dim:#555;--paper:#fff;--line:#ccc;--head:#f2f4f7;--good:#0072B2;--bad:#b34a00}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6e6;--dim:#aaa;--paper:#15181c;--line:#3a3f46;--head:#20252b;--good:#6db8e8;--bad:#ff9d52}
svg line[stroke="#d0d0d0"],svg line[stroke="#eeeeee"]{stroke:#3a3f46}
svg path[stroke="#000000"],svg line[stroke="#000000"]{stroke:#fff}
svg path[stroke="#0072B2"],svg line[stroke="#0072B2"]{stroke:#3d9be0}
svg path[fill="#0072B2"]{fill:#56B4E9}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:64rem;padding:1rem;font:16px/1.45 system-ui,"DejaVu Sans",sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:1.8rem 0 .5rem}
p{margin:.4rem 0;color:var(--dim)}
.note{color:var(--ink);font-weight:600;border-left:4px solid var(--good);padding:.2rem .7rem}
.warning{border-left-color:var(--bad)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}
th{background:var(--head)}.n{text-align:right}
svg{max-width:100%;height:auto;display:block}
svg>rect:first-of-type{fill:none}svg,svg text{fill:var(--ink)}
@media(max-width:40rem){body{padding:.6rem;font-size:15px}.wide svg{min-width:40rem}}
@media print{:root{--ink:#000;--dim:#333;--paper:#fff;--line:#999;--head:#eee}body{max-width:none;font-size:10pt}
h2{break-after:avoid}table,svg{break-inside:avoid}svg{max-height:23cm;margin:0 auto}.wide{overflow:visible}}
)";

}  // namespace

HtmlPage::HtmlPage(std::string_view title) {
  const std::string safe = escaped(title);
  text_ = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style></head><body>\n<h1>{}</h1>\n",
      safe, style, safe);
}

void HtmlPage::heading(std::string_view text) { text_ += "<h2>" + escaped(text) + "</h2>\n"; }

void HtmlPage::paragraph(std::string_view text) { text_ += "<p>" + escaped(text) + "</p>\n"; }

void HtmlPage::note(std::string_view text, bool is_warning) {
  text_ += fmt::format("<p class=\"note{}\">{}</p>\n", is_warning ? " warning" : "", escaped(text));
}

void HtmlPage::table(const std::vector<std::vector<std::string>>& rows, std::size_t numbers_from,
                     std::size_t numbers_to) {
  text_ += "<div class=\"wide\"><table>\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text_ += "<tr>";
    for (std::size_t i = 0; i < rows[row].size(); ++i) {
      const char* const tag = row == 0 ? "th" : "td";
      const bool number = i >= numbers_from && i < numbers_to;
      text_ += fmt::format("<{}{}>{}</{}>", tag, number ? " class=\"n\"" : "",
                           escaped(rows[row][i]), tag);
    }
    text_ += "</tr>\n";
  }
  text_ += "</table></div>\n";
}

void HtmlPage::picture(std::string_view svg) {
  text_ += "<div class=\"wide\">\n";
  text_ += svg;
  text_ += "</div>\n";
}

std::string HtmlPage::finish() && { return std::move(text_) + "</body></html>\n"; }

}  // namespace sojourn
