#include "export/charts/line_chart.h"

#include <algorithm>
#include <cmath>

#include "export/charts/chart_scale.h"
#include "export/charts/svg_writer.h"
#include "export/text_table.h"

namespace sojourn {
namespace {

constexpr double width = 960, plot_height = 400;
constexpr double left = 84, top = 50, bottom = 58;
constexpr double character_width = 6.9;  // DejaVu Sans at 12 px, and a little
constexpr double marker_size = 4.2;

/// Names of more characters than this are broken into lines at a space.
constexpr std::size_t legend_characters = 34;

/// Colours and shapes have cycles of different length, so that 8 x 5 series look different.
struct Look {
  std::string_view color;
  std::size_t shape;

  explicit Look(std::size_t series)
      : color(plot_colors[series % plot_colors.size()]), shape(series % 5) {}
};

void put_marker(SvgWriter& svg, const Look& look, double x, double y) {
  const double s = marker_size;
  switch (look.shape) {
    case 0:
      svg.put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}"/>)", x, y, s, look.color);
      return;
    case 1:
      svg.put(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" fill="{}"/>)", x - 0.9 * s,
              y - 0.9 * s, 1.8 * s, 1.8 * s, look.color);
      return;
    case 2:
      svg.put(R"(<path d="M{:.1f} {:.1f}l{} {}h{}z" fill="{}"/>)", x, y - 1.2 * s, 1.15 * s, 2 * s,
              -2.3 * s, look.color);
      return;
    case 3:
      svg.put(R"(<path d="M{:.1f} {:.1f}l{} {}l{} {}l{} {}z" fill="{}"/>)", x, y - 1.3 * s, 1.3 * s,
              1.3 * s, -1.3 * s, 1.3 * s, -1.3 * s, -1.3 * s, look.color);
      return;
    default:
      svg.put(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="white" stroke="{}" stroke-width="2"/>)",
          x, y, s - 0.6, look.color);
      return;
  }
}

class Chart {
 public:
  explicit Chart(const LineChart& chart)
      : chart_(chart),
        x_(chart.x, values_of(&ChartPoint::x)),
        y_(chart.y, values_of(&ChartPoint::y)) {
    std::size_t longest = 0;
    double lines = 0;
    for (const auto& series : chart.series) {
      for (const auto& line : wrapped(series.name, legend_characters))
        longest = std::max(longest, display_width(line)), ++lines;
      lines += 0.5;
    }
    legend_width_ = longest == 0 ? 24 : 70 + character_width * static_cast<double>(longest);
    plot_width_ = width - left - legend_width_;
    height_ = std::max(top + plot_height + bottom, top + lines * 16 + 20);
  }

  std::string draw() {
    SvgWriter svg{width, height_};
    svg.title(left, chart_.title);
    axis_of_x(svg);
    axis_of_y(svg);
    svg.put(R"(<rect x="{}" y="{}" width="{:.1f}" height="{}" fill="none" stroke="#888"/>)", left,
            top, plot_width_, plot_height);
    // A nested picture clips what is beyond the axes' ends.  Unlike a clip path it needs no name,
    // so that a page can hold many charts.
    svg.put(R"(<svg x="{}" y="{}" width="{:.1f}" height="{}">)", left, top, plot_width_,
            plot_height);
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      if (chart_.series[i].lines) curve(svg, chart_.series[i], Look{i});
    svg.put("</svg>");
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      if (chart_.series[i].markers) markers(svg, chart_.series[i], Look{i});
    legend(svg);
    return std::move(svg).finish();
  }

 private:
  std::vector<double> values_of(double ChartPoint::* coordinate) const {
    std::vector<double> values;
    for (const auto& series : chart_.series)
      for (const auto& point : series.points) values.push_back(point.*coordinate);
    return values;
  }

  void axis_of_x(SvgWriter& svg) const {
    double free_from = 0;
    for (const auto& tick : x_.ticks()) {
      const double x = left + tick.at * plot_width_;
      svg.put(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2}" stroke="{3}"/>)", x, top,
              top + plot_height + (tick.label.empty() ? 0 : 5),
              tick.label.empty() ? "#eeeeee" : "#d0d0d0");
      const double half = 4.2 * static_cast<double>(display_width(tick.label));
      if (tick.label.empty() || x - half < free_from) continue;
      free_from = x + half + 6;
      svg.put(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", x,
              top + plot_height + 20, tick.label);
    }
    svg.put(R"(<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>)", left + plot_width_ / 2,
            top + plot_height + 44, escaped(chart_.x.label));
  }

  void axis_of_y(SvgWriter& svg) const {
    for (const auto& tick : y_.ticks()) {
      const double y = top + (1 - tick.at) * plot_height;
      svg.put(R"(<line x1="{1}" y1="{0:.1f}" x2="{2:.1f}" y2="{0:.1f}" stroke="{3}"/>)", y,
              tick.label.empty() ? left : left - 5, left + plot_width_,
              tick.label.empty() ? "#eeeeee" : "#d0d0d0");
      if (!tick.label.empty())
        svg.put(R"(<text x="{}" y="{:.1f}" text-anchor="end">{}</text>)", left - 8, y + 4.5,
                tick.label);
    }
    svg.put(
        R"svg(<text transform="translate(20 {}) rotate(-90)" text-anchor="middle">{}</text>)svg",
        top + plot_height / 2, escaped(chart_.y.label));
  }

  void curve(SvgWriter& svg, const ChartSeries& series, const Look& look) const {
    std::string path;
    bool pen_down = false;
    double last_x = 0, last_y = 0;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const auto right_of = x_.position(series.points[i].x),
                 above = y_.position(series.points[i].y);
      if (!right_of || !above) {
        pen_down = false;  // a gap: there are no measurements between
        continue;
      }
      // Points far outside are moved closer, which keeps the numbers valid for every viewer.
      const double x = std::clamp(*right_of, -10.0, 11.0) * plot_width_,
                   y = (1 - std::clamp(*above, -10.0, 11.0)) * plot_height;
      // Steps of a quarter of a pixel are invisible, but thousands of them make a large file.
      const bool last = i + 1 == series.points.size();
      if (pen_down && !last && std::abs(x - last_x) < 0.25 && std::abs(y - last_y) < 0.25) continue;
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
      pen_down = true;
      last_x = x;
      last_y = y;
    }
    if (!path.empty())
      svg.put(
          R"(<path d="{}" fill="none" stroke="{}" stroke-width="2" stroke-linejoin="round"{}/>)",
          path, look.color, dash(series));
  }

  /// Drawn whole even on the frame, where a clipped one would look like another shape.
  void markers(SvgWriter& svg, const ChartSeries& series, const Look& look) const {
    for (const auto& point : series.points) {
      const auto x = x_.position(point.x), y = y_.position(point.y);
      constexpr double edge = 1e-3;
      if (!x || !y || *x < -edge || *x > 1 + edge || *y < -edge || *y > 1 + edge) continue;
      put_marker(svg, look, left + *x * plot_width_, top + (1 - *y) * plot_height);
    }
  }

  void legend(SvgWriter& svg) const {
    const double x = left + plot_width_ + 16;
    double y = top + 12;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const auto& series = chart_.series[i];
      const Look look{i};
      if (series.lines)
        svg.put(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="2"{}/>)", x,
                y - 4, x + 34, y - 4, look.color, dash(series));
      if (series.markers) put_marker(svg, look, x + 17, y - 4);
      for (const auto& line : wrapped(series.name, legend_characters)) {
        svg.put(R"(<text x="{:.1f}" y="{}" font-size="12">{}</text>)", x + 42, y, escaped(line));
        y += 16;
      }
      y += 8;
    }
  }

  static std::string_view dash(const ChartSeries& series) {
    return series.dashed ? R"( stroke-dasharray="7 4")" : "";
  }

  const LineChart& chart_;
  ChartScale x_;
  ChartScale y_;
  double legend_width_ = 0;
  double plot_width_ = 0;
  double height_ = 0;
};

}  // namespace

std::string svg_chart(const LineChart& chart) { return Chart{chart}.draw(); }

}  // namespace sojourn
