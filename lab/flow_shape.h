#pragma once
// The size of a backbone flow, its duration, and its packet times.

#include <cstdint>
#include <vector>

#include "lab/random.h"

namespace sojourn {

/// Packets of a flow and their rate.
struct FlowShape {
  std::uint32_t size = 1;
  double packets_per_second = 0;

  double duration() const { return size / packets_per_second; }
};

/// A few fast connections make traffic bursty.
struct Bursts {
  double packets = 0.05;                      ///< share of all packets
  double packets_per_second = 1'000;          ///< of one burst, median
  double smallest = 2'000, largest = 20'000;  ///< packets; P(size > x) falls like 1/x between
};

/// Realistic flows: mice, elephants and bursts (lab/backbone_traffic.h).
class FlowShapes {
 public:
  struct Options {
    double packets_per_flow = 13;  ///< on average, counting the packets within `seconds`
    double seconds = 60;           ///< 0: whole flows count
    std::uint32_t largest = 1'000'000;
    Bursts bursts = {};
  };
  explicit FlowShapes(const Options& options);

  FlowShape draw(Random& random) const;

 private:
  FlowShape mouse(Random& random) const;
  FlowShape elephant(Random& random) const;
  FlowShape burst(Random& random) const;

  Options options_;
  double mouse_exponent_;
  double burst_share_ = 0;     ///< of the flows
  double elephant_share_ = 0;  ///< of the other flows
};

/// Times of the flow's packets from its start, in seconds, into `times`.
void draw_times(Random& random, const FlowShape& shape, std::vector<double>& times);

/// The exponent `a` of P(size >= k) = k^-a, k up to `largest`, for a mean size.
double tail_exponent(double mean_size, std::uint32_t largest);

}  // namespace sojourn
