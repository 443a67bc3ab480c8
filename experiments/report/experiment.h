#pragma once
// What an experiment of the lab is: traffic with a known truth in, a report beside the paper's out.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/charts/line_chart.h"

namespace sojourn {

struct LabSetting {
  std::uint64_t seed = 1;
  bool quick = false;  ///< a scaled-down run: seconds instead of minutes
  std::function<void(double)> progress = [](double) {};  ///< told how far through, 0 to 1
};

/// One line of the verdict: what the paper says, what we found, and whether that meets it.
struct Claim {
  std::string statement;  ///< "two fridges need half the memory of staged for equal error"
  std::string paper;      ///< the paper's value, with its unit; "-" for a claim of our own
  std::string ours;       ///< ours, with its unit
  bool met = false;
};

/// Numbers in rows: printed aligned, written as CSV.
struct LabTable {
  std::string name;   ///< of its CSV file, after the experiment's: "errors"
  std::string title;  ///< with the units
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

struct LabFigure {
  std::string name;  ///< of its SVG file, after the experiment's
  LineChart chart;
};

struct LabReport {
  std::vector<Claim> claims;
  std::vector<LabTable> tables;
  std::vector<LabFigure> figures;
};

/// An experiment is seeded and pure: the same setting gives the same report.
struct Experiment {
  std::string_view name;     ///< "l2"
  std::string_view source;   ///< "FRIDGE Fig. 2 and 5"
  std::string_view summary;  ///< one line
  LabReport (*run)(const LabSetting& setting);
};

/// All of them, in order.
std::span<const Experiment> experiments();

}  // namespace sojourn
