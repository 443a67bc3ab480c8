#pragma once
// As many connections as memory allows, chosen at random, each followed from its first packet on.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/hash.h"
#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"

namespace sojourn {

/// A Record per connection, found by the flow's hash.  `Record` is trivially copyable, all zero
/// when new, with members `flow` (0 = free) and `last_seen`.
///
/// The table is at most a quarter full, so that nearly all connections are found at the first place
/// searched.  Beyond that, connections that were silent for longer than `idle` are dropped, and the
/// table grows if it may.  If it may not, only connections whose hash is below a threshold are
/// followed from then on, half as many as before, and each represents 1/p of them.  A connection
/// below the threshold was followed all the time, so whether it is seen is independent of the delay
/// of its answers and of everything else it does.  Without `by_chance` the table is full instead.
template <class Record>
class FollowedConnections {
 public:
  struct Room {
    std::size_t most_bytes;  ///< of one array; while it grows there are two
    bool by_chance;          ///< what to do then
    Duration idle;
  };
  explicit FollowedConnections(const Room& room)
      : room_(room), records_(HugeArray<Record>::in_use(std::min(first_size, most_size()))) {}

  void prefetch(std::uint64_t flow) const { prefetch_to_write(&records_[home(flow | 1u)]); }

  /// The flow's record, created if there is none; nullptr if the flow is not followed.  Valid until
  /// the next call.  `dropped(record)` is called for each connection that a lower threshold drops.
  template <class Dropped>
  Record* at(std::uint64_t flow, Timestamp now, Dropped dropped) {
    flow |= 1u;
    Record& first = records_[home(flow)];
    return first.flow == flow ? &first : among_others(flow, now, dropped);
  }

  /// How many connections each of them represents: 1/p.
  std::uint64_t weight() const { return weight_; }
  bool is_full() const { return is_full_; }
  std::size_t memory_bytes() const { return peak_bytes_; }
  std::size_t size() const { return used_; }

 private:
  static constexpr std::size_t first_size = 2048, least_size = 32;

  std::size_t most_size() const {
    return std::bit_floor(std::max(room_.most_bytes / sizeof(Record), least_size));
  }
  std::size_t home(std::uint64_t flow) const {
    return static_cast<std::size_t>(((flow >> 32) * records_.size()) >> 32);
  }
  std::size_t after(std::size_t index) const { return (index + 1) & (records_.size() - 1); }
  /// The bits that place a connection in the table must not decide whether it is followed.
  static std::uint64_t chance_of(std::uint64_t flow) {
    constexpr HashKey key = HashKey::from_seed(0x7475726e73);
    return keyed_hash(key, flow, 0);
  }
  bool is_followed(std::uint64_t flow) const {
    return weight_ == 1 || chance_of(flow) <= ~std::uint64_t{0} / weight_;
  }

  /// Not in its preferred place, or new.
  template <class Dropped>
  [[gnu::noinline]] Record* among_others(std::uint64_t flow, Timestamp now, Dropped dropped) {
    if (!is_followed(flow)) return nullptr;
    std::size_t index = home(flow);
    while (records_[index].flow != 0) {
      if (records_[index].flow == flow) return &records_[index];
      index = after(index);
    }
    if (used_ >= records_.size() / 4) [[unlikely]] {
      if (is_full_) return nullptr;
      make_room(now, dropped);
      if (is_full_ || !is_followed(flow)) return nullptr;
      index = home(flow);
      while (records_[index].flow != 0) index = after(index);
    }
    ++used_;
    records_[index] = Record{};
    records_[index].flow = flow;
    records_[index].last_seen = now;
    return &records_[index];
  }

  template <class Dropped>
  [[gnu::noinline]] void make_room(Timestamp now, Dropped dropped) {
    const auto alive = [&](const Record& record) {
      return record.flow != 0 && difference(now, record.last_seen) <= room_.idle;
    };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(records_, alive));
    std::size_t size = records_.size();
    if (kept > size / 8 && size < most_size()) {
      size *= 2;
    } else if (kept > size / 16 * 3 && !room_.by_chance) {
      is_full_ = true;
      return;
    }
    while (true) {
      const HugeArray<Record> old = std::exchange(records_, HugeArray<Record>::in_use(size));
      peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + records_.memory_bytes());
      used_ = 0;
      for (const Record& record : old) {
        if (!alive(record)) continue;
        if (!is_followed(record.flow)) {
          dropped(record);
          continue;
        }
        std::size_t index = home(record.flow);
        while (records_[index].flow != 0) index = after(index);
        records_[index] = record;
        ++used_;
      }
      if (used_ <= size / 16 * 3) return;
      weight_ *= 2;
    }
  }

  Room room_;
  HugeArray<Record> records_;
  std::size_t used_ = 0;
  std::size_t peak_bytes_ = records_.memory_bytes();
  std::uint64_t weight_ = 1;
  bool is_full_ = false;
};

}  // namespace sojourn
