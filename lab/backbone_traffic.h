#pragma once
// Traffic like that of the papers' backbone traces: heavy-tailed flows that send in bursts.

#include <cstdint>
#include <string_view>
#include <vector>

#include "lab/flow_shape.h"
#include "lab/lab_packet.h"

namespace sojourn {

/// What the papers state about a trace.
struct BackboneModel {
  std::string_view name;
  double packets_per_second = 0;
  double packets_per_flow = 0;  ///< on average, in a trace of `seconds`
  double seconds = 0;
  double link_bytes_per_second = 0;
  Bursts bursts = {};

  /// CNF section IV-A: 13 M packets, 1 M flows in 60 s, OC-192.  RLI Table I has 131 M packets of
  /// the same link in 600 s.
  static constexpr BackboneModel chic() { return {"CHIC", 131e6 / 600, 13, 60, 1.25e9, {}}; }
  /// RLI Table I: 214 M packets, 10.3 M flows in 600 s, OC-192.  Burstier than CHIC (section V-D);
  /// bursts of seconds at 120 Mbit/s give about the loss stated there (0.67 % at 90 % load).
  static constexpr BackboneModel sanj() {
    return {"SANJ", 214e6 / 600, 20.8, 600, 1.25e9, {0.15, 10'000, 20'000, 200'000}};
  }
  /// CNF section IV-A: 17 M packets, 0.8 M flows, OC-48.  Its duration is not stated; ten minutes,
  /// the length of the files of that collection, is assumed.
  static constexpr BackboneModel ipls() { return {"IPLS", 17e6 / 600, 21.25, 600, 0.3125e9, {}}; }
};

struct BackboneOptions {
  BackboneModel model = BackboneModel::chic();
  double seconds = 60;
  double scale = 1;  ///< of the packet rate; flows are not changed, but fewer
  std::uint64_t seed = 1;
  /// Flows begin before the trace and continue after it, as in a capture, so that the load at its
  /// ends is that in its middle.  Otherwise every flow is within the trace.
  bool cut_at_edges = false;
};

struct BackboneTrace {
  std::vector<LabPacket> packets;         ///< in the order of sending
  std::vector<std::uint32_t> flow_sizes;  ///< packets of each flow
  std::uint64_t bytes = 0;

  /// The drain rate at which a queue is busy for this share of the time (offered load).
  double drain_rate(double utilisation, double seconds) const {
    return static_cast<double>(bytes) / seconds / utilisation;
  }
};

/// Three kinds of flows (docs/design/lab-traffic.md says where the numbers come from):
///
///     mice       most flows; P(size >= k) = k^-a up to 200 packets, 3.5 on average, over in
///     seconds elephants  some in a hundred flows and most of the packets; sizes lognormal, median
///     900, and for
///                minutes: as many as it takes for the model's packets per flow
///     bursts     few, fast and large: a twentieth of the packets or more (struct Bursts)
///
/// A flow sends windows that double like TCP's slow start up to its rate, one each round trip
/// (lognormal, median 50 ms), with packets of a window some tens of microseconds apart.  Half of
/// the flows carry data, half acknowledgments.  No flow is more than a fiftieth of the traffic.
BackboneTrace backbone_traffic(const BackboneOptions& options);

}  // namespace sojourn
