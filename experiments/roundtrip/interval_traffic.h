#pragma once
// Requests and responses of flows whose true quantiles are known in closed form.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sojourn {

/// A request or its response, of some flow.
struct FlowEvent {
  std::int64_t ns;  ///< since the start
  std::uint32_t id;
  std::uint32_t flow;
  bool is_request;
};

/// How many requests a flow sends.
enum class FlowSizes : std::uint8_t {
  one,        ///< every request is its own flow: samples are independent
  geometric,  ///< `mean_size` on average
  pareto,     ///< tail of index 1.5: `mean_size` on average, without a variance
};

/// Each flow has its own lognormal round-trip time; a request's delay is that, with jitter of a
/// tenth.  Half of the requests are answered.  Requests come at random within four seconds.  With
/// bursts, they come four times as often in the first fifth of every second, with five times the
/// delay, so that half of the requests are in bursts.
struct IntervalTraffic {
  std::string name;
  FlowSizes sizes = FlowSizes::one;
  std::uint32_t flows = 20'000;
  double mean_size = 1;
  bool bursts = false;
  double spread = 1;     ///< twin: every delay is longer than the truth by this factor
  double alternate = 1;  ///< twin: the same in every second run, so that neighbours differ

  static constexpr double seconds = 4, median_ns = 20e6, own_sigma = 0.8, jitter = 0.1,
                          answered = 0.5, burst_delay = 5;

  /// The distribution of the delays of all pairs.
  double quantile_ns(double q) const;
  /// In order of time.  The same seed gives the same traffic.
  std::vector<FlowEvent> events(std::uint64_t seed) const;
};

/// independent, correlated, bursty, heavy-tailed; the last with a tenth of the flows as well.
std::vector<IntervalTraffic> interval_traffic();

}  // namespace sojourn
