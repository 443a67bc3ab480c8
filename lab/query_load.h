#pragma once
// Independent requests, such as DNS queries: the traces of FRIDGE, and bursts.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lab/frame_builder.h"
#include "lab/random.h"
#include "lab/traffic_model.h"

namespace sojourn {

struct QueryLoadOptions {
  std::uint64_t requests = 1'250'000;
  double rate = 1e6;      ///< requests a second, evenly spaced
  double answered = 0.4;  ///< share of the requests
  /// Log-uniform from 1 ms to this, as in FRIDGE section 5; 0 for the mixture of delay_mixture.h.
  double longest_ms = 4096;
  /// In the first fifth of every second the rate and the delays are larger by these factors.
  double burst_rate = 1, burst_delay = 1;
  std::uint32_t snap_length = 128;
  std::uint64_t seed = 1;
};

/// Each request is a query with its own name, so that `sojourn rtt` sees exactly one request for
/// each, and exactly one pair for each that is answered.  DNS, because it is the only kind in which
/// requests are independent: a TCP segment belongs to a connection, and a SYN starts several
/// measurements.
class QueryLoad final : public TrafficModel {
 public:
  explicit QueryLoad(const QueryLoadOptions& options);

  bool next(LabFrame& frame, std::vector<Sample>& truth) override;
  double progress() const override {
    return static_cast<double>(asked_) / static_cast<double>(options_.requests);
  }

 private:
  struct Answer {
    Timestamp time;
    Timestamp asked_at;
    std::uint64_t number;
    bool operator>(const Answer& other) const { return time > other.time; }
  };

  bool in_burst() const;
  LabFrame ask();
  LabFrame answer(std::vector<Sample>& truth);
  LabEnds ends_of(std::uint64_t number) const;
  double delay_ns();

  QueryLoadOptions options_;
  Random random_;
  FrameBuilder builder_;
  std::uint64_t asked_ = 0;
  double next_ns_ = 0;  ///< since the start: when the next request passes
  std::priority_queue<Answer, std::vector<Answer>, std::greater<>> on_their_way_;
};

}  // namespace sojourn
