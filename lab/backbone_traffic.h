#pragma once
// Traffic like that of the papers' backbone traces: heavy-tailed flows that send in bursts.

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/lab_packet.h"

namespace sojourn {

/// What the papers say of a trace, and what a model needs beyond that.
struct BackboneModel {
  std::string_view name;
  double packets_per_second = 0;
  double packets_per_flow = 0;  ///< on average
  double link_bytes_per_second = 0;

  /// RLI Table I: 131 M packets, 8.25 M flows in 600 s, OC-192.
  static constexpr BackboneModel chic() { return {"CHIC", 131e6 / 600, 15.9, 1.25e9}; }
  /// RLI Table I: 214 M packets, 10.3 M flows in 600 s, OC-192.
  static constexpr BackboneModel sanj() { return {"SANJ", 214e6 / 600, 20.8, 1.25e9}; }
  /// CNF section IV-A: 17 M packets, 0.8 M flows, OC-48.  Its duration is not stated; ten minutes,
  /// the length of the files of that collection, is assumed.
  static constexpr BackboneModel ipls() { return {"IPLS", 17e6 / 600, 21.25, 0.3125e9}; }
};

struct BackboneOptions {
  BackboneModel model = BackboneModel::chic();
  double seconds = 60;
  double scale = 1;  ///< of the packet rate; the flows stay as they are, there are fewer of them
  std::uint64_t seed = 1;
  /// Flows begin before the trace and go on behind it, as in a capture, so that the load is the same
  /// at its ends as in its middle.  Otherwise every flow lies within.
  bool cut_at_edges = false;
  std::uint32_t largest_flow = 0;  ///< packets; 0: a fiftieth of the traffic
};

struct BackboneTrace {
  std::vector<LabPacket> packets;  ///< in the order of sending
  std::vector<std::uint32_t> flow_sizes;  ///< packets of each flow
  std::uint64_t bytes = 0;

  /// The drain rate at which a queue is busy for this share of the time (offered load).
  double drain_rate(double utilisation, double seconds) const {
    return static_cast<double>(bytes) / seconds / utilisation;
  }
};

/// Sizes have P(size >= k) = k^-a up to a largest, with `a` solved for the mean.  A flow sends
/// windows that double like TCP's slow start, one each round trip (lognormal, median 50 ms), packets
/// of a window a few tens of microseconds apart.  Half of the flows carry data, half acknowledge.
BackboneTrace backbone_traffic(const BackboneOptions& options);

/// The exponent `a` for a mean size, with sizes up to `largest`.
double tail_exponent(double mean_size, std::uint32_t largest);

}  // namespace sojourn
