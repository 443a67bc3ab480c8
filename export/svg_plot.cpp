#include "export/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/units.h"
#include "export/delay_axis.h"

namespace sojourn {
namespace {

constexpr double width = 860, height = 480;
constexpr double left = 70, right = 20, top = 56, bottom = 62;
constexpr double plot_width = width - left - right, plot_height = height - top - bottom;

/// Okabe and Ito 2008: told apart by readers with any colour vision.  By kind, so that a kind has
/// the same colour in every plot.  Dashes help on paper.
constexpr std::array<std::string_view, kind_count> colors = {"#0072B2", "#D55E00", "#009E73", "#999999",
                                                             "#CC79A7", "#56B4E9", "#E69F00", "#000000"};
constexpr std::array<std::string_view, kind_count> dashes = {"", "8 3", "2 3", "12 3 2 3", "6 2", "4 4", "10 2 2 2 2 2", "1 2"};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&') result += "&amp;";
    else if (c == '<') result += "&lt;";
    else if (c == '>') result += "&gt;";
    else if (static_cast<unsigned char>(c) < 0x20) result += ' ';
    else result += c;
  }
  return result;
}

/// Steps would claim that F jumps; it is linear between points (estimate/distribution.h).
std::string path_of(const Distribution& distribution, const DelayAxis& axis) {
  std::string path;
  double last_x = -1, last_y = -1;
  const auto points = distribution.cdf();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = left + axis.position(points[i].delay) * plot_width;
    const double y = top + (1 - points[i].fraction) * plot_height;
    // A quarter of a pixel cannot be seen, but thousands of them make a large file.
    const bool last = i + 1 == points.size();
    if (!path.empty() && !last && std::abs(x - last_x) < 0.25 && std::abs(y - last_y) < 0.25) continue;
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
    last_x = x;
    last_y = y;
  }
  return path;
}

std::string title_of(const InputSummary& input) {
  std::string title = "Round-trip delay";
  if (!input.files.empty()) {
    const std::string& file = input.files.front();
    const auto slash = file.rfind('/');
    title += ": " + (slash == std::string::npos ? file : file.substr(slash + 1));
    if (input.files.size() > 1) title += fmt::format(" and {} more", input.files.size() - 1);
  }
  return title;
}

}  // namespace

std::string svg_plot(const RttReport& report) {
  const Measurement& measurement = *report.measurement;
  std::vector<Kind> kinds;
  Duration low = Duration::max(), high = Duration::min();
  std::uint64_t samples = 0;
  for (std::size_t i = 0; i < kind_count; ++i) {
    const auto& pooled = measurement.pooled(static_cast<Kind>(i));
    if (pooled.empty()) continue;
    kinds.push_back(static_cast<Kind>(i));
    low = std::min(low, *pooled.min());
    high = std::max(high, *pooled.max());
    samples += pooled.count();
  }
  if (kinds.empty()) low = std::chrono::microseconds{1}, high = std::chrono::seconds{1};
  const DelayAxis axis{low, high};

  std::string svg;
  const auto put = [&svg]<class... Values>(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(svg), format, std::forward<Values>(values)...);
    svg += '\n';
  };
  put(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" font-family="DejaVu Sans, Verdana, Arial, sans-serif" font-size="13" fill="#222">)",
      width, height);
  put(R"(<rect width="{}" height="{}" fill="white"/>)", width, height);
  put(R"(<text x="{}" y="26" font-size="17" font-weight="bold">{}</text>)", left, escaped(title_of(report.input)));
  put(R"(<text x="{}" y="44" font-size="12" fill="#555">{} samples</text>)", left, format_count(samples));

  for (int tenth = 0; tenth <= 10; tenth += 1) {
    const double y = top + plot_height * (1 - tenth / 10.0);
    const bool labelled = tenth % 2 == 0;
    put(R"(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="{}"/>)", left, y, width - right, y, labelled ? "#d0d0d0" : "#eeeeee");
    if (labelled) put(R"(<text x="{}" y="{:.1f}" text-anchor="end">{:.1f}</text>)", left - 8, y + 4.5, tenth / 10.0);
  }
  double free_from = 0;
  for (const auto& tick : axis.ticks()) {
    const double x = left + axis.position(tick.delay) * plot_width;
    put(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" stroke="#d0d0d0"/>)", x, top, top + plot_height + 5);
    const double half = 4.2 * static_cast<double>(tick.label.size());  // DejaVu Sans at 13 px
    if (x - half < free_from) continue;
    free_from = x + half + 6;
    put(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", std::min(x, width - half), top + plot_height + 21, tick.label);
  }
  put(R"(<text x="{}" y="{}" text-anchor="middle">delay</text>)", left + plot_width / 2, height - 14);
  put(R"svg(<text transform="translate(22 {}) rotate(-90)" text-anchor="middle">fraction of pairs at or below</text>)svg", top + plot_height / 2);

  for (const Kind kind : kinds)
    put(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2.2" stroke-linejoin="round" stroke-dasharray="{}"/>)",
        path_of(measurement.pooled(kind), axis), colors[index_of(kind)], dashes[index_of(kind)]);

  // In the corner the curves leave free: a CDF starts at the lower left and ends at the upper right.
  if (kinds.empty())
    put(R"(<text x="{}" y="{}" text-anchor="middle" font-size="16" fill="#555">no samples</text>)", left + plot_width / 2, top + plot_height / 2);
  else {
    constexpr double line_height = 20, box_width = 236;
    const double box_height = line_height * static_cast<double>(kinds.size()) + 12;
    const double box_x = width - right - box_width - 12, box_y = top + plot_height - box_height - 12;
    put(R"(<rect x="{}" y="{}" width="{}" height="{}" rx="4" fill="white" fill-opacity="0.88" stroke="#c0c0c0"/>)", box_x, box_y, box_width, box_height);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const double y = box_y + 20 + line_height * static_cast<double>(i);
      put(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="2.6" stroke-dasharray="{}"/>)", box_x + 10, y - 4,
          box_x + 46, y - 4, colors[index_of(kinds[i])], dashes[index_of(kinds[i])]);
      put(R"(<text x="{}" y="{}">{}</text>)", box_x + 54, y, name_of(kinds[i]));
      put(R"(<text x="{}" y="{}" text-anchor="end">median {}</text>)", box_x + box_width - 10, y,
          format_duration(*measurement.pooled(kinds[i]).quantile(0.5)));
    }
  }
  svg += "</svg>\n";
  return svg;
}

}  // namespace sojourn
