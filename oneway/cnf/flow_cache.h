#pragma once
// NetFlow's cache over the selected packets of one point, in fixed memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_array.h"
#include "oneway/cnf/flow_record.h"
#include "oneway/observed_packet.h"

namespace sojourn {

/// Packets in, records out.  A record leaves when its flow closes (FIN or RST), pauses for the
/// inactive timeout, lasts for the active timeout, or when a row of four slots is full; `expired()`
/// counts each, and every packet is in exactly one record.
///
/// A timeout splits the packets of a flow in the same way whenever it is detected, at the flow's
/// next packet or before.  So a clock hand sweeps the slots once per inactive timeout, only to
/// export expired flows and to make room.  After the constructor only the list of records
/// allocates.
class FlowCache {
 public:
  /// The times are NetFlow's usual ones (CNF section III-A).
  struct Options {
    std::size_t memory_bytes = std::size_t{4} << 20;
    Duration active_timeout = std::chrono::minutes{30};
    Duration inactive_timeout = std::chrono::seconds{15};
  };
  static constexpr std::size_t max_batch = 256;

  explicit FlowCache(const Options& options);

  /// Packets in the order of their times, or nearly so; at most max_batch.
  void add(std::span<const ObservedPacket> batch, std::vector<FlowRecord>& records);
  /// For times without packets: exports flows that have expired by now.
  void advance(Timestamp now, std::vector<FlowRecord>& records) { sweep(now, records); }
  /// Exports everything left.
  void flush(std::vector<FlowRecord>& records);

  const ExpiryCounters& expired() const { return expired_; }
  std::size_t memory_bytes() const { return tags_.memory_bytes() + slots_.memory_bytes(); }

 private:
  static constexpr std::size_t ways = 4;

  /// Two cache lines, whatever the alignment of the array.
  struct alignas(32) Slot {
    std::array<std::byte, sizeof(FlowRecord)> record;
  };
  struct Row {
    std::array<std::uint32_t, ways> tags;  ///< 0: empty
  };

  std::size_t row_of(std::uint64_t flow) const {
    return static_cast<std::size_t>((flow & 0xffff'ffffu) * tags_.size() >> 32);
  }
  static std::uint32_t tag_of(std::uint64_t flow) {
    return static_cast<std::uint32_t>(flow >> 32) | 1u;
  }
  FlowRecord& record_at(std::size_t slot);
  bool is_over(const FlowRecord& record, Timestamp now) const;
  void begin(FlowRecord& record, const ObservedPacket& packet);
  void export_record(FlowRecord& record, Expiry why, std::vector<FlowRecord>& records);
  void prefetch_slot(std::size_t place) const;
  void update(const ObservedPacket& packet, std::vector<FlowRecord>& records);
  void insert(const ObservedPacket& packet, std::size_t row, std::vector<FlowRecord>& records);
  void sweep(Timestamp now, std::vector<FlowRecord>& records);

  Options options_;
  HugeArray<Row> tags_;
  HugeArray<Slot> slots_;
  ExpiryCounters expired_;
  Timestamp swept_at_{};
  std::size_t hand_ = 0;  ///< clock hand: the next row to be swept
};

}  // namespace sojourn
