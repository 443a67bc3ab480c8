#pragma once
// The state of each connection between its packets.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"

namespace sojourn {

/// A Record per flow, found by the flow's hash.  `Record` is a trivially copyable cache line with
/// members `flow` (0 = free) and `last_seen`; a new one is all zero but for these two.
///
/// Open addressing with a load factor of at most a quarter, or an eighth as long as the table is
/// small: probes end at once, and unused records take no room in the cache.  When it fills up,
/// flows idle for longer than `idle` are dropped, and the table doubles only if more than half of
/// that is still in use.  At its limit, if there is one, it may be half full.
///
/// With `most`, memory is fixed instead: that many records in buckets of eight.  A flow has a
/// preferred place in its bucket, so finding it usually takes one cache line; if the place is
/// taken, it goes elsewhere in the bucket.  In a full bucket a new flow replaces the one that has
/// been idle longest.  If even that one was active within `in_use`, it is forgotten early and
/// counted.  Some records must not be replaced: a response would no longer find its request, more
/// often the slower it is.  Then the new flow is not remembered, and counted.  Either way no
/// request is lost for being slow.
template <class Record>
class ConnectionTable {
 public:
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

  explicit ConnectionTable(Duration idle, std::size_t initial_records = 1024,
                           std::size_t most = no_limit, Duration in_use = std::chrono::seconds{10})
      : records_(most == no_limit ? HugeArray<Record>::in_use(
                                        std::bit_ceil(std::max<std::size_t>(initial_records, 2)))
                                  : HugeArray<Record>{rounded(most)}),
        ways_(most == no_limit ? 0 : ways_of(most)),
        most_used_(usual_load(records_.size())),
        peak_bytes_(records_.memory_bytes()),
        idle_(most == no_limit ? idle : in_use) {}

  /// The preferred place and its neighbour: one flow in twelve is there.
  void prefetch(std::uint64_t flow) const {
    const std::size_t place = home(flow);
    prefetch_to_write(&records_[place]);
    prefetch_to_write(&records_[place ^ 1]);
  }

  /// The flow's record, or nullptr.  Valid until the next call of `at`.
  Record* find(std::uint64_t flow) {
    flow = tag(flow);
    std::size_t index = home(flow);
    if (records_[index].flow == flow) return &records_[index];
    if (is_fixed()) return find_in_bucket(flow);
    for (Probe probe{*this, index}; records_[probe.index].flow != 0; ++probe)
      if (records_[probe.index].flow == flow) return &records_[probe.index];
    return nullptr;
  }

  /// The flow's record, created if there is none.  Valid until the next call of `at`.
  Record& at(std::uint64_t flow, Timestamp now) {
    flow = tag(flow);
    Record& record = records_[home(flow)];
    if (record.flow == flow) [[likely]]
      return record;
    Record& neighbour = records_[home(flow) ^ 1];
    if (neighbour.flow == flow) return neighbour;
    return is_fixed() ? in_bucket(flow, now) : among_others(flow, now);
  }

  /// Without `most`: it does not grow beyond this, but reports that it is full.  0: no limit.
  void limit(std::size_t bytes) { limit_bytes_ = bytes; }
  /// It would have had to grow.  It still accepts flows of a batch as long as there is room.
  bool is_full() const { return is_full_; }

  std::size_t memory_bytes() const { return peak_bytes_; }
  std::size_t size() const { return used_; }
  /// Connections that were forgotten while in use, or never remembered.
  std::uint64_t without_room() const { return without_room_; }

 private:
  static constexpr std::size_t most_ways = 8;
  /// With few records none is lost by rounding.
  static std::size_t ways_of(std::size_t most) { return most >= 8 * most_ways ? most_ways : 4; }
  /// How many of the records may be used.  A miss of the first place costs a branch that is not
  /// predicted and another cache line; in a table of a huge page at most, avoiding it is free.
  static std::size_t usual_load(std::size_t records) {
    return records * sizeof(Record) <= huge_page ? records / 8 : records / 4;
  }
  static std::size_t rounded(std::size_t most) {
    const std::size_t ways = ways_of(most);
    return std::max(most / ways * ways, ways);
  }
  bool is_fixed() const { return ways_ != 0; }

  static std::uint64_t tag(std::uint64_t flow) { return flow | 1u; }  // 0 marks a free record
  /// Any number of records (Lemire 2019).
  std::size_t home(std::uint64_t flow) const {
    return static_cast<std::size_t>(((flow >> 32) * records_.size()) >> 32);
  }
  /// Where open addressing looks: at the preferred place, at the neighbour with which it shares two
  /// adjacent cache lines, which processors fetch together, and then at one after the other.
  struct Probe {
    Probe(const ConnectionTable& table, std::size_t home)
        : index(home), mask(table.records_.size() - 1) {}
    Probe& operator++() {
      index = steps == 0 ? index ^ 1 : steps == 1 ? ((index | 1) + 1) & mask : (index + 1) & mask;
      ++steps;
      return *this;
    }
    std::size_t index, mask, steps = 0;
  };
  std::size_t free_place(std::uint64_t flow) const {
    Probe probe{*this, home(flow)};
    while (records_[probe.index].flow != 0) ++probe;
    return probe.index;
  }

  /// Open addressing: the flow is not in its preferred place, or is new.
  [[gnu::noinline]] Record& among_others(std::uint64_t flow, Timestamp now) {
    Probe probe{*this, home(flow)};
    for (; records_[probe.index].flow != 0; ++probe)
      if (records_[probe.index].flow == flow) return records_[probe.index];
    std::size_t index = probe.index;
    if (used_ >= most_used_) [[unlikely]] {
      if (is_full_) return not_remembered(flow, now);
      sweep(now);
      index = free_place(flow);
    }
    ++used_;
    return begin(records_[index], flow, now);
  }

  void sweep(Timestamp now) {
    const auto alive = [&](const Record& record) {
      return record.flow != 0 && difference(now, record.last_seen) <= idle_;
    };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(records_, alive));
    std::size_t size = records_.size();
    bool at_limit = false;
    if (kept > usual_load(size) / 2) {
      at_limit = limit_bytes_ != 0 && 4 * records_.memory_bytes() > limit_bytes_;  // sweeps copy
      if (!at_limit) {
        size *= 2;
      } else if (kept > size / 8 * 3) {
        is_full_ = true;
        most_used_ = size - 1;
        return;
      }
    }
    const HugeArray<Record> old = std::exchange(records_, HugeArray<Record>::in_use(size));
    peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + records_.memory_bytes());
    most_used_ = at_limit ? size / 2 : usual_load(size);
    used_ = 0;
    for (const Record& record : old) {
      if (!alive(record)) continue;
      records_[free_place(record.flow)] = record;
      ++used_;
    }
  }

  static Record& begin(Record& record, std::uint64_t flow, Timestamp now) {
    record = Record{};
    record.flow = flow;
    record.last_seen = now;
    return record;
  }
  Record& not_remembered(std::uint64_t flow, Timestamp now) {
    return begin(not_remembered_, flow, now);
  }

  Record* find_in_bucket(std::uint64_t flow) {
    const std::size_t place = home(flow);
    for (std::size_t step = 1; step < ways_; ++step)
      if (records_[place ^ step].flow == flow) return &records_[place ^ step];
    return nullptr;
  }
  [[gnu::noinline]] Record& in_bucket(std::uint64_t flow, Timestamp now) {
    const std::size_t place = home(flow);
    for (std::size_t step = 2; step < ways_; ++step) prefetch_to_write(&records_[place ^ step]);
    if (Record* const known = find_in_bucket(flow)) return *known;
    std::size_t oldest = place;
    for (std::size_t step = 1; step < ways_ && records_[oldest].flow != 0; ++step) {
      const Record& record = records_[place ^ step];
      if (record.flow == 0 ||
          difference(now, record.last_seen) > difference(now, records_[oldest].last_seen))
        oldest = place ^ step;
    }
    if (records_[oldest].flow == 0) {
      ++used_;
    } else if (difference(now, records_[oldest].last_seen) <= idle_) {
      ++without_room_;
      if (!Record::may_be_forgotten) return not_remembered(flow, now);
    }
    // A displaced flow in the new flow's preferred place is moved.
    if (oldest != place && home(records_[place].flow) != place) {
      records_[oldest] = records_[place];
      oldest = place;
    }
    return begin(records_[oldest], flow, now);
  }

  HugeArray<Record> records_;
  std::size_t ways_;       ///< of a bucket; 0 if memory is not fixed
  std::size_t most_used_;  ///< beyond this it is swept
  std::size_t used_ = 0;
  std::size_t peak_bytes_;
  Duration idle_;
  std::uint64_t without_room_ = 0;
  std::size_t limit_bytes_ = 0;
  bool is_full_ = false;
  Record not_remembered_{};
};

}  // namespace sojourn
