#pragma once
// A measurement point: packets in, IPFIX messages out.
//
//     source -> locator -> selection -> flow cache --> flow records
//            -> RttPipeline -> CellTable ------------> cells          --> messages, every 10 s

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "capture/source.h"
#include "collector/report/point_report.h"
#include "core/packet.h"
#include "core/sample.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/spool.h"
#include "oneway/cnf/cnf_point.h"
#include "oneway/method.h"
#include "pipeline/point/cell_table.h"
#include "pipeline/rtt_options.h"
#include "pipeline/rtt_pipeline.h"
#include "wire/ip_packet.h"

namespace sojourn {

struct PointOptions {
  PointIdentity point;
  OnewayOptions oneway;  ///< sampling and label
  std::uint64_t secret_fingerprint = 0;
  FlowCache::Options cache = {.active_timeout = std::chrono::minutes{1}};
  std::optional<RttOptions> rtt;  ///< empty: no round trips
  CellOptions cells = {};
  Duration every = std::chrono::seconds{10};
  ipfix::WriterOptions writer = {};
};

/// Reads no clock: packets tell the time, and `advance` does if none come.  Runs on one thread.
class PointRun {
 public:
  /// `spool` gets the messages and must outlive this object.
  PointRun(const PointOptions& options, ipfix::Spool& spool);

  void process(std::span<const Packet> packets);
  /// Tells the time, whether packets came or not.  True if a report was made.
  bool advance(Timestamp now);
  /// Sends the rest of the cache and a last report.
  void finish();
  /// Makes a report now, even if it has only the counters.
  void report();

  /// Adds round trips that were measured elsewhere: in the kernel.
  void take(std::span<const Sample> samples) { cells_.take(samples); }

  /// The ledger's counters of the source: packets that the kernel dropped, and packets that it did
  /// not select, which never get here.
  void note_drops(std::uint64_t dropped) { kernel_drops_ = dropped; }
  void note_passed_over(std::uint64_t packets) { passed_over_ = packets; }

  /// The current counters, without the packets that wait in the spool.
  PointCounters counters() const;
  std::uint64_t samples() const { return cells_.samples(); }
  std::uint64_t samples_left_out() const { return cells_.left_out(); }
  std::size_t memory_bytes() const;

 private:
  void move_records();

  PointOptions options_;
  ipfix::Spool& spool_;
  IpLocator locator_;
  CnfPoint cnf_;
  CellTable cells_;
  std::optional<RttPipeline> rtt_;
  ipfix::MessageWriter writer_;
  std::vector<IpPacket> found_;
  std::vector<FlowRecord> records_;  ///< that the next report sends
  std::vector<RttCell> report_cells_;
  Timestamp now_{};
  Timestamp next_report_{};
  std::uint64_t frames_ = 0;
  std::uint64_t next_number_ = 1;
  std::uint64_t packets_in_records_ = 0;
  std::uint64_t kernel_drops_ = 0;
  std::uint64_t passed_over_ = 0;
};

}  // namespace sojourn
