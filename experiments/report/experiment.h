#pragma once
// An experiment of the lab: traffic with a known truth in, a report beside the paper's figures out.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result_table.h"
#include "export/charts/line_chart.h"

namespace sojourn {

struct LabSetting {
  std::uint64_t seed = 1;
  bool quick = false;  ///< a scaled-down run: seconds instead of minutes
  std::function<void(double)> progress = [](double) {};  ///< called with the share done, 0 to 1
};

/// One line of the verdict: the paper's value, ours, and whether the claim is met.
struct Claim {
  std::string statement;  ///< "two fridges need half the memory of staged for equal error"
  std::optional<std::string> paper;  ///< its value, with its unit; none for a claim of our own
  std::string ours;                  ///< ours, with its unit
  bool met = false;
};

inline std::string paper_text(const Claim& claim) { return claim.paper.value_or("-"); }
inline std::string_view verdict_of(const Claim& claim) { return claim.met ? "met" : "MISSED"; }

struct LabFigure {
  std::string name;  ///< of its SVG file, after the experiment's
  LineChart chart;
};

struct LabReport {
  std::vector<Claim> claims;
  std::vector<ResultTable> tables;  ///< named after their CSV files, behind the experiment's
  std::vector<LabFigure> figures;
};

/// How many claims were not met.
inline std::size_t missed_claims(const LabReport& report) {
  return static_cast<std::size_t>(std::ranges::count(report.claims, false, &Claim::met));
}

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
