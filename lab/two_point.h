#pragma once
// The same traffic at two points, with everything that may happen between them, and the truth.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lab/backbone_traffic.h"
#include "lab/clock_model.h"
#include "lab/lab_packet.h"

namespace sojourn {

enum class PathKind : std::uint8_t { weibull, droptail, red };

struct TwoPointOptions {
  BackboneOptions traffic = {};
  PathKind path = PathKind::weibull;
  double utilisation = 0.9;           ///< offered load of droptail and red
  std::int64_t fixed_ns = 2'000'000;  ///< propagation
  double loss = 0;                    ///< share of packets, in addition to what a queue drops
  double duplicates = 0;              ///< share of packets that arrive twice
  double reorder = 0;  ///< share of packets delayed a little, so that others overtake
  double spikes = 0;   ///< share of packets that take `spike_ns` longer
  std::int64_t spike_ns = 10'000'000;
  double ipv6 = 0.2;  ///< share of flows
  std::uint32_t references =
      0;  ///< an RLI reference packet ahead of every so many packets; 0: none
  ClockModel first_clock = {};
  ClockModel last_clock = {};
  std::uint64_t seed = 1;
};

/// A packet at the last point.
struct TwoPointArrival {
  std::int64_t read_ns = 0;  ///< by the last point's clock
  std::uint32_t packet = 0;  ///< index into `sent`
  bool duplicate = false;
};

/// Begins and ends with a packet that arrives, so that every packet missing between them is lost
/// and nothing is uncertain.
struct TwoPointTrace {
  std::vector<LabPacket> sent;         ///< by true time
  std::vector<std::int64_t> first_ns;  ///< reading of the first point's clock, for each of `sent`
  std::vector<std::uint32_t> number;   ///< of the packet within its flow, for each of `sent`
  std::vector<std::uint32_t> first_order;  ///< indices into `sent` in the order of the readings
  std::vector<TwoPointArrival> arrivals;   ///< in the order of the readings
  std::vector<bool> flow_is_ipv6;
  std::optional<std::uint32_t> reference_flow;  ///< of the reference packets
  std::size_t flows() const { return flow_is_ipv6.size(); }
};

TwoPointTrace two_point_trace(const TwoPointOptions& options);

}  // namespace sojourn
