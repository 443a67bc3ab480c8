#pragma once
// What exact matching books for each flow: every delay, every loss, without rounding.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flow_key.h"
#include "core/huge_array.h"
#include "oneway/flow_delay.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// Sums of delays as whole numbers, so that mean and deviation are those of the delays however long
/// the sums get.  They are taken from the first delay: squares of an hour's offset would fill 128
/// bits.
struct alignas(64) DelaySums {
  __extension__ using Wide = __int128;

  std::uint64_t count = 0;
  std::int64_t pivot_ns = 0;
  Wide sum = 0;
  Wide squares = 0;
  std::int64_t min_ns = 0, max_ns = 0;

  void add(std::int64_t delay_ns);
  double mean_ns() const;
  double stddev_ns() const;
};
static_assert(sizeof(DelaySums) == 64);

/// Flows in the order of their first packets.  Memory grows with their number, up to `max_flows`:
/// the packets of all further flows share one account, which is in the total but is no flow.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t max_flows);

  void prefetch(std::uint64_t flow_hash) const { __builtin_prefetch(&cells_[home(flow_hash)]); }
  void prefetch_sums(std::uint32_t number) const { __builtin_prefetch(&sums_[number], 1); }

  /// The flow's number; it is booked if it is new.  Flows are told apart by their 64-bit keyed
  /// hash.
  std::uint32_t number_of(const IpPacket& packet);

  void add(std::uint32_t number, std::int64_t delay_ns) { sums_[number].add(delay_ns); }
  void add_lost(std::uint32_t number) { ++accounts_[number].lost; }

  /// nullptr for the account that flows without room share.
  const FlowKey* key(std::uint32_t number) const {
    return number == shared ? nullptr : &accounts_[number].key;
  }
  /// Packets whose flow had no room.
  std::uint64_t without_room() const { return sums_[shared].count + accounts_[shared].lost; }
  /// Flows without any packet whose fate is known are left out.
  std::vector<FlowDelay> delays() const;
  DelaySums total() const;
  std::size_t memory_bytes() const;

 private:
  struct Cell {
    std::uint64_t hash;
    std::uint64_t number;  ///< 0, the shared account's: free
  };
  struct Account {
    FlowKey key;
    std::uint64_t lost = 0;
  };

  static constexpr std::uint32_t shared = 0;

  std::size_t home(std::uint64_t hash) const { return hash >> shift_; }
  void grow();

  std::size_t max_flows_;
  HugeArray<Cell> cells_;
  int shift_;
  std::vector<Account> accounts_;
  std::vector<DelaySums> sums_;
};

}  // namespace sojourn
