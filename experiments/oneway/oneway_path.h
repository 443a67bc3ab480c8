#pragma once
// Backbone traffic through a queue: when each packet was sent and received, and each flow's true
// delay.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/flow_key.h"
#include "lab/backbone_traffic.h"
#include "lab/queue.h"
#include "oneway/cnf/flow_cache.h"
#include "oneway/delay_moments.h"

namespace sojourn {

inline constexpr std::int64_t lost_packet = -1;

/// Arrival times in nanoseconds, or lost_packet, by packet index.
using Arrivals = std::vector<std::int64_t>;

template <class Queue>
Arrivals pass_through(std::span<const LabPacket> packets, Queue queue,
                      std::int64_t propagation_ns = 0) {
  Arrivals arrivals(packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Arrival arrival = queue.pass(packets[i]);
    arrivals[i] = arrival ? *arrival + propagation_ns : lost_packet;
  }
  return arrivals;
}

double share_lost(const Arrivals& arrivals);
double mean_delay_ns(std::span<const LabPacket> packets, const Arrivals& arrivals);

/// True delays of each flow's packets that arrived.
std::vector<DelayMoments> true_delays(std::span<const LabPacket> packets, const Arrivals& arrivals,
                                      std::size_t flows);

/// The drain rate at which `measure(rate)` falls to `target`; it must not grow with the rate.
template <class Measure>
double drain_rate_for(double target, double slowest, double fastest, int steps, Measure measure) {
  for (int step = 0; step < steps; ++step) {
    const double middle = std::sqrt(slowest * fastest);
    (measure(middle) > target ? slowest : fastest) = middle;
  }
  return std::sqrt(slowest * fastest);
}

/// Flow number to 5-tuple and back.
FlowKey lab_flow_key(std::uint32_t flow);
std::uint32_t lab_flow_number(const FlowKey& key);
/// A packet's label, and the hash by which it is selected: independent of each other.
std::uint32_t lab_label(std::size_t packet, std::uint64_t seed);
std::uint32_t lab_selection_hash(std::size_t packet, std::uint64_t seed);

/// How packets are selected at both points.
struct LabSampling {
  double share = 0.01;
  bool flows = false;  ///< whole flows instead of packets
  std::uint64_t seed = 1;

  bool selects(std::size_t packet, std::uint32_t flow) const {
    return lab_selection_hash(flows ? flow : packet, seed) < share * 0x1p32;
  }
};

/// What both points export about the selected packets, and each selected packet's true delay.
struct LabRecords {
  std::vector<FlowRecord> first;
  std::vector<FlowRecord> last;
};
LabRecords records_of(std::span<const LabPacket> packets, const Arrivals& arrivals,
                      const LabSampling& sampling, const FlowCache::Options& cache);

/// Trajectory sampling: only the delays of a flow's own selected packets.
std::vector<DelayMoments> trajectory_delays(std::span<const LabPacket> packets,
                                            const Arrivals& arrivals, const LabSampling& sampling,
                                            std::size_t flows);

}  // namespace sojourn
