#pragma once
// One measurement point of CNF: packets in, flow records out.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "oneway/cnf/flow_cache.h"
#include "oneway/label_options.h"
#include "oneway/method.h"
#include "oneway/observed_packet.h"
#include "oneway/selection.h"

namespace sojourn {

/// Selects packets (or flows), keeps them in a flow cache, and collects the exported records.  Two
/// points with the same options, however far apart, write records that can be joined.
class CnfPoint {
 public:
  CnfPoint(const OnewayOptions& options, const FlowCache::Options& cache);

  /// At most OnewayMethod::max_batch packets.
  void add(std::span<const IpPacket> batch);
  /// Time has passed, with or without packets: expired flows become records.
  void advance(Timestamp now) { cache_.advance(now, records_); }
  /// No packet follows: the rest of the cache becomes records.
  void finish() { cache_.flush(records_); }

  /// The records that have left the cache since the last clear.
  std::span<const FlowRecord> records() const { return records_; }
  /// For callers that pass records on as they come instead of keeping them.
  void clear_records() { records_.clear(); }
  std::size_t cache_bytes() const { return cache_.memory_bytes(); }
  std::uint64_t selected() const { return selected_; }

 private:
  bool sample_flows_;
  PacketSelection packet_selection_;
  FlowSelection flow_selection_;
  LabelOptions exported_;
  FlowCache cache_;
  std::vector<ObservedPacket> batch_;
  std::vector<FlowRecord> records_;
  std::uint64_t selected_ = 0;
};

}  // namespace sojourn
