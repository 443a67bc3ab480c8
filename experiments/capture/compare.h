#pragma once
// Every table on the user's capture, against its exact distribution.

#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/capture/capture_trial.h"
#include "experiments/report/experiment.h"

namespace sojourn {

struct CompareOptions {
  std::vector<std::uint64_t> memories;  ///< bytes
  unsigned seeds = 7;
  std::uint64_t first_seed = 1;
};

/// One table in one memory: medians over the seeds, errors in octaves.
struct ComparedTable {
  TableKind table;
  std::uint64_t memory_bytes = 0;
  double p50 = 0, p95 = 0, p99 = 0, worst = 0;
  double total = 0;  ///< estimated pairs by true ones
  double samples = 0;
};

struct Comparison {
  std::vector<ComparedTable> tables;  ///< by memory, then by table
};

/// Each table with the parameters that `sojourn rtt --memory SIZE --table NAME` would give it.
Result<Comparison> compare_tables(CaptureTrial& trial, const CompareOptions& options,
                                  const std::function<void(double)>& progress);

/// The same as a table and figures, for people.
LabReport report_of(const Comparison& comparison, const CaptureTrial& trial,
                    const CompareOptions& options);

}  // namespace sojourn
