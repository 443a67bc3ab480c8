#pragma once
// CNF's estimators and its baselines on one path, flow by flow beside the truth.

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/oneway/oneway_path.h"
#include "experiments/oneway/relative_error.h"

namespace sojourn {

/// Each estimator's result for one flow, beside the truth; nanoseconds.
struct CnfFlow {
  std::uint32_t flow = 0;
  std::uint64_t size = 0;     ///< packets that arrived, sampled or not
  std::uint64_t sampled = 0;  ///< packets in its record
  double truth = 0, true_deviation = 0;
  double endpoint = 0, multiflow = 0, hybrid = 0, nearby = 0, trajectory = 0, interpolated = 0;
  double endpoint_deviation = 0, multiflow_deviation = 0;
  double multiflow_margin = 0, nearby_margin = 0;  ///< half of the nominal 95 % intervals
  double record_seconds = 0;                       ///< from its first to its last selected packet
};

struct CnfTrial {
  std::vector<CnfFlow> flows;  ///< those with a record and at least one known delay
  double probe_mean = 0;       ///< active probes: one in n packets, averaged over everything
  std::size_t delays = 0;      ///< known to the collector
};

struct CnfTrialOptions {
  LabSampling sampling;
  bool interpolate = false;  ///< fill CnfFlow::interpolated: one more pass over all packets
  double drop_outliers = 0.01;
  std::size_t neighbours = 64;
};

CnfTrial try_cnf(std::span<const LabPacket> packets, const Arrivals& arrivals, std::size_t flows,
                 const CnfTrialOptions& options);

/// Errors of one estimator over the flows of at least `least` packets, two of them sampled: CNF
/// counts a flow only with a first and a last packet.
RelativeErrors errors_of(const CnfTrial& trial, double CnfFlow::* estimator,
                         std::uint64_t least = 1, std::uint64_t least_sampled = 2);
/// The share of flows with two selected packets whose truth is within the margin.
double covered_share(const CnfTrial& trial, double CnfFlow::* estimator, double CnfFlow::* margin);
RelativeErrors deviation_errors_of(const CnfTrial& trial, double CnfFlow::* estimator,
                                   std::uint64_t least = 2);

}  // namespace sojourn
