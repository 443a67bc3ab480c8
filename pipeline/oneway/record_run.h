#pragma once
// Flow records instead of packets: one point writes them, a collector joins those of two.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/packet.h"
#include "oneway/cnf/cnf_point.h"
#include "oneway/cnf/record_source.h"
#include "pipeline/oneway/oneway_run.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// One point: packets in, records out as soon as they are complete.
class RecordRun {
 public:
  /// The sink must outlive this object.
  RecordRun(const OnewaySetup& setup, RecordSink& sink);

  /// Packets in the point's order; any number.
  void process(std::span<const Packet> packets);
  void run(Source& source, const std::atomic<bool>& interrupted);
  /// No packet will follow: the rest of the cache becomes records.
  void finish();

  std::uint64_t records() const { return records_; }  ///< handed to the sink so far

 private:
  void hand_on();

  RecordSink& sink_;
  CnfPoint point_;
  IpLocator locator_;
  std::array<IpPacket, OnewayMethod::max_batch> found_;
  std::uint64_t records_ = 0;
};

/// Subtracts the offset of the last point's clock from its records.
void take_out_offset(std::span<FlowRecord> last, Duration offset);

/// The collector: joins the records of two points, with the estimator of `method`, which must
/// support records.
OnewayMeasurement join_records(std::span<const FlowRecord> first, std::span<const FlowRecord> last,
                               const MethodChoice& method, const OnewaySetup& setup);

}  // namespace sojourn
