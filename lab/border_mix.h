#pragma once
// TCP on the border link of an ISP, with the statistics stated by STAGED and FRIDGE.

#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "lab/frame_builder.h"
#include "lab/random.h"
#include "lab/traffic_model.h"

namespace sojourn {

/// The defaults are STAGED section 3.1: a million TCP packets in 1.10 s, of 11 085 flows.  FRIDGE
/// section 5 has ten million in 11.4 s, nearly the same rate.
struct BorderMixOptions {
  std::uint64_t packets = 1'000'000;
  std::uint64_t flows = 11'085;
  double seconds = 1.10;
  std::uint32_t snap_length = 128;
  std::uint64_t seed = 1;
};

/// 61 % of the packets carry data out, and 13 % of those are answered by an incoming ACK (FRIDGE
/// section 5).  The share is low because receivers acknowledge every second segment or fewer
/// (delayed and stretch ACKs, STAGED section 2.3), some answers take another path, and scanners'
/// SYNs get none.  So there are four sorts of flow, with these shares of the packets:
///
///     both ways     41 % data in bursts, and 8 % ACKs, one for the last segment of each burst
///     data only     20 %, whose ACKs come back elsewhere
///     ACKs only     31 %, whose data went elsewhere
///     orphan scans  a fifth of the flows, one SYN each
///
/// A flow has its own round-trip time (delay_mixture.h), around which its pairs vary by 5 %.
/// In 2 % of the bursts there is only one segment, and its ACK waits for 40 ms more.
class BorderMix final : public TrafficModel {
 public:
  explicit BorderMix(const BorderMixOptions& options);

  bool next(LabFrame& frame, std::vector<Sample>& truth) override;
  double progress() const override {
    return static_cast<double>(planned_) / static_cast<double>(options_.packets);
  }

 private:
  struct Flow {
    std::uint64_t number;
    std::uint64_t left;  ///< data segments or ACKs
    std::uint32_t sequence;
    double round_trip_ns;
    double last_ack_ns;  ///< ACKs keep their order
  };
  struct Planned {
    double ns;
    std::uint64_t order;  ///< of planning, for equal times
    std::uint64_t flow;
    LabSegment segment;
    double asked_ns;  ///< for an answer; negative if it answers nothing
    bool operator>(const Planned& other) const {
      return ns != other.ns ? ns > other.ns : order > other.order;
    }
  };

  Flow new_flow();
  Flow& any(std::vector<Flow>& pool);
  void spend(Flow& flow, std::uint64_t packets);
  void plan_burst();
  void plan_single(std::vector<Flow>& pool, bool is_data);
  void plan_scan();
  void plan(double ns, std::uint64_t flow, const LabSegment& segment, double asked_ns);
  void plan_something();

  BorderMixOptions options_;
  Random random_;
  FrameBuilder builder_;
  double now_ns_ = 0;
  std::uint64_t planned_ = 0, flows_ = 0;
  std::vector<Flow> both_ways_, data_only_, acks_only_;
  std::priority_queue<Planned, std::vector<Planned>, std::greater<>> pending_;
};

}  // namespace sojourn
