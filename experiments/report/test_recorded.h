#pragma once
// An experiment is seeded and pure: its result is recorded, and a test shows changes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "experiments/report/experiment.h"

namespace sojourn::test {

/// Claims, tables and figures, one line each, with numbers as printed or to four digits.
inline std::string text_of(const LabReport& report) {
  std::string text;
  const auto line = [&text](const std::string& words) { text += words + "\n"; };
  for (const Claim& claim : report.claims)
    line(fmt::format("{}: {} | paper: {} | ours: {}", verdict_of(claim), claim.statement,
                     paper_text(claim), claim.ours));
  for (const ResultTable& table : report.tables) {
    line(fmt::format("\ntable {}: {}\n{}", table.name, table.title,
                     fmt::join(table.columns, " | ")));
    for (const std::vector<Cell>& row : table.rows) {
      std::string cells;
      for (const Cell& cell : row) cells += (cells.empty() ? "" : " | ") + cell.text;
      line(cells);
    }
  }
  for (const LabFigure& figure : report.figures) {
    const LineChart& chart = figure.chart;
    line(fmt::format("\nfigure {}: {}\n{}{} | {}{}", figure.name, chart.title, chart.x.label,
                     chart.x.logarithmic ? " (log)" : "", chart.y.label,
                     chart.y.logarithmic ? " (log)" : ""));
    for (const ChartSeries& series : chart.series) {
      std::string points;
      for (const ChartPoint& point : series.points)
        points += fmt::format(" {:.4g},{:.4g}", point.x, point.y);
      line(fmt::format("{}{}:{}", series.name, series.dashed ? " (dashed)" : "", points));
    }
  }
  return text;
}

/// Compares with experiments/recorded/NAME.txt.  With SOJOURN_ACCEPT=1 the file is rewritten, and
/// the commit says why the new one is right.
inline void expect_as_recorded(const std::string& name, const LabReport& report) {
  const std::string path = std::string{SOJOURN_RECORDED} + "/" + name + ".txt";
  const std::string now = text_of(report);
  if (std::getenv("SOJOURN_ACCEPT") != nullptr) std::ofstream{path} << now;
  std::ifstream file{path};
  const std::string recorded{std::istreambuf_iterator<char>{file}, {}};
  EXPECT_EQ(now, recorded) << path << "; SOJOURN_ACCEPT=1 writes it anew";
}

}  // namespace sojourn::test
