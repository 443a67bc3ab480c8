#pragma once
// L2: a table's accuracy by memory, and FRIDGE's figure 5 made from it.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "experiments/report/experiment.h"
#include "experiments/roundtrip/table_trial.h"

namespace sojourn {

using Merit = double TrialErrors::*;
struct NamedMerit {
  Merit merit;
  const char* name;
  const char* file;
};
constexpr NamedMerit merits[] = {{&TrialErrors::worst, "worst of 5..95", "worst"},
                                 {&TrialErrors::p99, "p99", "p99"}};

inline const std::string ours_name = "ours, self-configured";

/// The measure of FRIDGE figure 5, ten runs joined: the errors at 50, 95 and 99 per cent, here
/// their mean.
constexpr std::size_t joined_merit = 2, merit_count = 3;
inline double mean_of_figure5(const TrialErrors& errors) {
  return (errors.p50 + errors.p95 + errors.p99) / 3;
}

/// The accuracy of a family with M slots' worth of bytes, for each merit at its best setting.
struct Reached {
  TrialErrors errors[merit_count];
  std::string setting[merit_count];

  double error(std::size_t merit) const {
    return merit == joined_merit ? mean_of_figure5(errors[merit])
                                 : errors[merit].*merits[merit].merit;
  }
};
using Curve = std::map<int, Reached>;  ///< by log2 M

/// The memory (log2) at which `curve` reaches the error, interpolated between the sizes tried.
double size_reaching(const Curve& curve, std::size_t merit, double error);

/// The errors of all, by memory, and whether ours is as accurate with the same memory and with
/// half; `how` they were measured.
void add_merit(LabReport& report, const std::vector<int>& sizes,
               const std::map<std::string, Curve>& curves, std::size_t merit,
               const std::string& how);

/// Figure 5, and its claim: two fridges reach the accuracy of the simple algorithms with a half to
/// a quarter of the memory, each of them at its best setting for each memory size (section 5.3).
void add_figure5(LabReport& report, const std::vector<int>& sizes,
                 const std::map<std::string, Curve>& curves);

}  // namespace sojourn
