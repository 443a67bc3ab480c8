#include "export/rtt/svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/units.h"
#include "export/charts/delay_axis.h"
#include "export/charts/svg_writer.h"

namespace sojourn {
namespace {

constexpr double width = 960, height = 480;
constexpr double left = 70, right = 170, top = 56, bottom = 62;  // the legend stands at the right
constexpr double plot_width = width - left - right, plot_height = height - top - bottom;

// A kind has the same colour in every plot.  Dashes help in print.
std::string_view color_of(Kind kind) { return plot_colors[index_of(kind) % plot_colors.size()]; }
constexpr std::array<std::string_view, kind_count> dashes = {
    "", "8 3", "2 3", "12 3 2 3", "6 2", "4 4", "10 2 2 2 2 2", "1 2", "14 4", "3 1"};

struct Curve {
  Kind kind;
  Leg leg;
  const Distribution* delays;
};

/// Straight between points, as F is defined (estimate/distribution/distribution.h).
std::string path_of(const Distribution& distribution, const DelayAxis& axis) {
  std::string path;
  double last_x = -1, last_y = -1;
  const auto points = distribution.cdf();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = left + axis.position(points[i].delay) * plot_width;
    const double y = top + (1 - points[i].fraction) * plot_height;
    // Steps of a quarter of a pixel are invisible, but thousands of them make a large file.
    const bool last = i + 1 == points.size();
    if (!path.empty() && !last && std::abs(x - last_x) < 0.25 && std::abs(y - last_y) < 0.25)
      continue;
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

void fraction_axis(SvgWriter& svg) {
  for (int tenth = 0; tenth <= 10; ++tenth) {
    const double y = top + plot_height * (1 - tenth / 10.0);
    const bool labelled = tenth % 2 == 0;
    svg.put(R"(<line x1="{}" y1="{:.1f}" x2="{}" y2="{:.1f}" stroke="{}"/>)", left, y,
            left + plot_width, y, labelled ? "#d0d0d0" : "#eeeeee");
    if (labelled)
      svg.put(R"(<text x="{}" y="{:.1f}" text-anchor="end">{:.1f}</text>)", left - 8, y + 4.5,
              tenth / 10.0);
  }
  svg.put(
      R"svg(<text transform="translate(22 {}) rotate(-90)" text-anchor="middle">fraction of pairs at or below</text>)svg",
      top + plot_height / 2);
}

void delay_axis(SvgWriter& svg, const DelayAxis& axis) {
  double free_from = 0;
  for (const auto& tick : axis.ticks()) {
    const double x = left + axis.position(tick.delay) * plot_width;
    svg.put(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" stroke="#d0d0d0"/>)", x, top,
            top + plot_height + 5);
    const double half = 4.2 * static_cast<double>(tick.label.size());  // DejaVu Sans at 13 px
    if (x - half < free_from) continue;
    free_from = x + half + 6;
    svg.put(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x, top + plot_height + 21,
            tick.label);
  }
  svg.put(R"(<text x="{}" y="{}" text-anchor="middle">delay (logarithmic)</text>)",
          left + plot_width / 2, height - 14);
}

/// The leg towards the client or the inside is drawn thinner than its kind's other one.
double stroke_width(Leg leg) { return leg == Leg::client || leg == Leg::internal ? 1.2 : 2.4; }

void draw(SvgWriter& svg, const Curve& curve, const DelayAxis& axis) {
  svg.put(
      R"(<path d="{}" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round" stroke-dasharray="{}"/>)",
      path_of(*curve.delays, axis), color_of(curve.kind), stroke_width(curve.leg),
      dashes[index_of(curve.kind)]);
}

void legend_entry(SvgWriter& svg, std::size_t row, const Curve& curve) {
  const Distribution& distribution = *curve.delays;
  const double x = left + plot_width + 16, y = top + 4 + 36 * static_cast<double>(row);
  svg.put(
      R"(<line x1="{0}" y1="{1}" x2="{2}" y2="{1}" stroke="{3}" stroke-width="{4}" stroke-dasharray="{5}"/>)",
      x, y - 4, x + 36, color_of(curve.kind), stroke_width(curve.leg),
      dashes[index_of(curve.kind)]);
  svg.put(R"(<text x="{}" y="{}">{} {}</text>)", x + 44, y, name_of(curve.kind),
          name_of(curve.leg));
  svg.put(R"(<text x="{}" y="{}" font-size="12" fill="#555">median {}</text>)", x, y + 15,
          format_duration(*distribution.quantile(0.5)));
}

}  // namespace

std::string svg_plot(const RttReport& report) {
  std::vector<Curve> curves;
  Duration low = Duration::max(), high = Duration::min();
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const bool sum = !report.measurement->leg(kind, Leg::sum).empty();
    for (std::size_t l = 0; l < leg_count; ++l) {
      const Leg leg = static_cast<Leg>(l);
      const Distribution& delays = report.measurement->leg(kind, leg);
      if (delays.empty() || (sum && leg != Leg::sum)) continue;
      curves.push_back({kind, leg, &delays});
      low = std::min(low, *delays.min());
      high = std::max(high, *delays.max());
    }
  }
  if (curves.empty()) low = std::chrono::microseconds{1}, high = std::chrono::seconds{1};
  const DelayAxis axis{low, high};

  SvgWriter svg{width, height};
  svg.title(left, title_of(report.input));
  svg.put(R"(<text x="{}" y="44" font-size="12" fill="#555">{} samples</text>)", left,
          format_count(report.measurement->samples()));
  fraction_axis(svg);
  delay_axis(svg, axis);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    draw(svg, curves[i], axis);
    legend_entry(svg, i, curves[i]);
  }
  if (curves.empty())
    svg.put(
        R"(<text x="{}" y="{}" text-anchor="middle" font-size="16" fill="#555">no samples</text>)",
        left + plot_width / 2, top + plot_height / 2);
  return std::move(svg).finish();
}

}  // namespace sojourn
