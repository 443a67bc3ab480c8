#pragma once
// The accounts of exact matching for each flow: every delay and loss, without rounding.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/flow_key.h"
#include "core/huge_array.h"
#include "core/prefetch.h"
#include "oneway/flow_delay.h"
#include "oneway/point.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// Sums of delays as integers, so that mean and deviation are exact however large the sums get.
/// They are relative to the first delay: squares of an hour's offset would fill 128 bits.
struct alignas(64) DelaySums {
  __extension__ using Wide = __int128;

  std::uint64_t count = 0;
  std::int64_t pivot_ns = 0;
  Wide sum = 0;
  Wide squares = 0;
  std::int64_t min_ns = 0, max_ns = 0;

  void add(std::int64_t delay_ns);
  /// As if every delay of `other` had been added here.
  void merge(const DelaySums& other);
  double mean_ns() const;
  double stddev_ns() const;
};
static_assert(sizeof(DelaySums) == 64);

/// Flows in the order of their first packets.  Memory grows with their number, up to `max_flows`:
/// the packets of all further flows share one account, which is in the total but is not a flow.
class FlowLedger {
 public:
  explicit FlowLedger(std::size_t max_flows);

  void prefetch(std::uint64_t flow_hash) const { prefetch_to_read(&cells_[home(flow_hash)]); }
  void prefetch_sums(std::uint32_t number) const { prefetch_to_write(&sums_[number]); }

  /// The flow's number; a new flow gets an account.  Flows are distinguished by their 64-bit keyed
  /// hash.
  std::uint32_t number_of(const IpPacket& packet);

  void add(std::uint32_t number, std::int64_t delay_ns) { sums_[number].add(delay_ns); }
  /// A packet that only this point has seen: lost, or a copy made on the path.
  void add_unmatched(std::uint32_t number, Point only) {
    ++accounts_[number].unmatched[index_of(only)];
  }

  /// nullptr for the shared account.
  const FlowKey* key(std::uint32_t number) const {
    return number == shared ? nullptr : &accounts_[number].key;
  }
  /// Packets of flows beyond `max_flows`.
  std::uint64_t without_room() const {
    return sums_[shared].count + accounts_[shared].unmatched[index_of(Point::first)];
  }

  /// One direction: packets seen only at its starting point were lost; those seen only at the other
  /// point are copies, or came from elsewhere.
  struct Fate {
    std::uint64_t flows = 0, matched = 0, lost = 0, from_nowhere = 0;
    DelaySums delays;
  };
  /// `direction_of(number)`: nullopt for a flow of unknown direction; its packets at the first
  /// point count as lost there, and those at the last as of unknown origin.
  template <class DirectionOf>
  std::array<Fate, 2> fates(DirectionOf direction_of) const {
    std::array<Fate, 2> fates;
    for (std::uint32_t number = 0; number < accounts_.size(); ++number) {
      const Direction direction = direction_of(number).value_or(Direction::forward);
      book(number, direction, fates[static_cast<std::size_t>(direction)]);
    }
    return fates;
  }
  /// Flows without any packet of known fate are left out.
  template <class DirectionOf>
  std::vector<FlowDelay> delays(DirectionOf direction_of) const {
    std::vector<FlowDelay> flows;
    flows.reserve(accounts_.size());
    for (std::uint32_t number = shared + 1; number < accounts_.size(); ++number)
      add_flow(number, direction_of(number).value_or(Direction::forward), flows);
    return flows;
  }
  /// Accounts, including the shared one.
  std::size_t size() const { return accounts_.size(); }
  /// nullopt for a flow without any delay.
  std::optional<Duration> mean_delay(std::uint32_t number) const {
    if (sums_[number].count == 0) return std::nullopt;
    return Duration{static_cast<std::int64_t>(sums_[number].mean_ns())};
  }
  std::size_t memory_bytes() const;

 private:
  struct Cell {
    std::uint64_t hash;
    std::uint64_t number;  ///< 0, the shared account's: free
  };
  struct Account {
    FlowKey key;
    std::array<std::uint64_t, 2> unmatched{};  ///< by the point that saw them
  };

  static constexpr std::uint32_t shared = 0;

  std::size_t home(std::uint64_t hash) const { return hash >> shift_; }
  void grow();
  void book(std::uint32_t number, Direction direction, Fate& fate) const;
  void add_flow(std::uint32_t number, Direction direction, std::vector<FlowDelay>& flows) const;

  std::size_t max_flows_;
  HugeArray<Cell> cells_;
  int shift_;
  std::vector<Account> accounts_;
  std::vector<DelaySums> sums_;
};

}  // namespace sojourn
