#pragma once
// A flow's delay, from the delays of the flows' end packets (CNF sections III-F to III-H).

#include <cstdint>
#include <span>

#include "oneway/cnf/association.h"
#include "oneway/cnf/delay_series.h"
#include "oneway/cnf/flow_record.h"

namespace sojourn {

/// The mean of the flow's own two delays, or the only one known.
DelaySummary endpoint_estimate(const AssociatedFlow& flow);

/// The mean of all delays, of any flow, sent while the flow lasted.
DelaySummary multiflow_estimate(const FlowRecord& record, const DelaySeries& series);

/// Endpoint up to `threshold` packets of the flow, Multiflow above.  A record of m selected packets
/// represents a flow of m / sampling packets, about which its own two delays say little.
bool hybrid_takes_endpoint(const FlowRecord& record, double sampling, std::uint64_t threshold);
DelaySummary hybrid_estimate(const AssociatedFlow& flow, const FlowRecord& record,
                             const DelaySeries& series, double sampling,
                             std::uint64_t threshold = 4);

/// Multiflow for many flows at once: the cache misses of a batch overlap.  `out` has the size of
/// `flows`.
void multiflow_estimates(std::span<const AssociatedFlow> flows, std::span<const FlowRecord> first,
                         const DelaySeries& series, std::span<DelaySummary> out);

/// The mean time by which a flow extends beyond its record, on either side: of m packets selected
/// with probability p, (m - 1) gaps are within, and (1 - p) of such a gap is beyond each end.
Duration beyond_the_ends(const FlowRecord& record, double sampling);

/// Our own: Multiflow for the packets that were not measured, the flow's own delays for the others.
///
/// Of the flow's N = packets / sampling packets, m = 1 or 2 have a known delay.  The others are
/// assumed to resemble the packets around them, at least `neighbours` of them: a flow with one
/// selected packet has no others within its times, but lasted longer than that packet.  In the same
/// way a flow of m selected packets began before the first and continued after the last of them,
/// each by the mean gap between them, less the share that would have been selected.
///
///     D = (sum of own delays + (N - m) D_around) / N
///
/// There is no threshold to choose: it is exact for a flow of two packets, all selected, and
/// approaches Multiflow as the flow grows.
DelaySummary nearby_estimate(const AssociatedFlow& flow, const FlowRecord& record,
                             const DelaySeries& series, double sampling,
                             std::size_t neighbours = 64);

/// CNF's unattainable reference: every packet's send time is known, and its delay is interpolated
/// between the end packets of all flows (section III-H).  For the lab.
class InterpolatedFlow {
 public:
  explicit InterpolatedFlow(const DelaySeries& series) : series_(&series) {}
  void sent(Timestamp time);
  DelaySummary estimate() const { return {count_, mean_, deviation()}; }

 private:
  double deviation() const;

  const DelaySeries* series_;
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  ///< Welford's sum of squared differences from the mean
};

}  // namespace sojourn
