#pragma once
// What is remembered of each connection between its packets.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/huge_array.h"
#include "core/time.h"

namespace sojourn {

/// A Record per flow, found by the flow's hash.  `Record` is a trivially copyable cache line with
/// members `flow` (0 = free) and `last_seen`; a new one is all zero but for these two.
///
/// Open addressing, at most a quarter full: probes end at once, and records that nobody uses take
/// no room in the cache.  When it fills up, flows idle for longer than `idle` are dropped, and the
/// table doubles only if more than an eighth is still in use.  Once it would hold more than `most`
/// flows, the half that has been silent longest is dropped instead.
template <class Record>
class ConnectionTable {
 public:
  explicit ConnectionTable(Duration idle, std::size_t initial_records = 1024,
                           std::size_t most = std::numeric_limits<std::size_t>::max())
      : records_(HugeArray<Record>::in_use(std::bit_ceil(initial_records))),
        shift_(64 - std::countr_zero(records_.size())),
        peak_bytes_(records_.memory_bytes()),
        idle_(idle),
        most_(std::max<std::size_t>(most, initial_records / 4)) {}

  void prefetch(std::uint64_t flow) const { __builtin_prefetch(&records_[home(flow)], 1); }

  /// The flow's record, or nullptr.  Valid until the next call of `at`.
  Record* find(std::uint64_t flow) {
    flow = tag(flow);
    for (std::size_t index = home(flow); records_[index].flow != 0; index = after(index))
      if (records_[index].flow == flow) return &records_[index];
    return nullptr;
  }

  /// The flow's record, made now if there is none.  Valid until the next call of `at`.
  Record& at(std::uint64_t flow, Timestamp now) {
    flow = tag(flow);
    std::size_t index = home(flow);
    for (; records_[index].flow != 0; index = after(index))
      if (records_[index].flow == flow) return records_[index];
    if (used_ >= records_.size() / 4) [[unlikely]] {
      sweep(now);
      index = home(flow);
      while (records_[index].flow != 0) index = after(index);
    }
    ++used_;
    records_[index].flow = flow;
    records_[index].last_seen = now;
    return records_[index];
  }

  std::size_t memory_bytes() const { return peak_bytes_; }
  std::size_t size() const { return used_; }

 private:
  static std::uint64_t tag(std::uint64_t flow) { return flow | 1u; }  // 0 marks a free record
  std::size_t home(std::uint64_t flow) const { return flow >> shift_; }
  std::size_t after(std::size_t index) const { return (index + 1) & (records_.size() - 1); }

  void sweep(Timestamp now) {
    Duration patience = idle_;
    const auto alive = [&](const Record& record) {
      return record.flow != 0 && difference(now, record.last_seen) <= patience;
    };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(records_, alive));
    std::size_t size = records_.size();
    if (kept > size / 8) {
      if (size / 2 <= most_)
        size *= 2;
      else
        patience = usual_silence(now);
    }
    const HugeArray<Record> old = std::exchange(records_, HugeArray<Record>::in_use(size));
    peak_bytes_ = std::max(peak_bytes_, old.memory_bytes() + records_.memory_bytes());
    shift_ = 64 - std::countr_zero(size);
    used_ = 0;
    for (const Record& record : old) {
      if (!alive(record)) continue;
      std::size_t index = home(record.flow);
      while (records_[index].flow != 0) index = after(index);
      records_[index] = record;
      ++used_;
    }
  }

  /// For how long half of the flows have been silent.  The table is in the order of a hash, so its
  /// first records are a fair sample of all.
  Duration usual_silence(Timestamp now) const {
    std::array<Duration, 255> silences{};
    std::size_t count = 0;
    for (const Record& record : records_) {
      if (record.flow == 0) continue;
      silences[count++] = difference(now, record.last_seen);
      if (count == silences.size()) break;
    }
    const auto middle = silences.begin() + static_cast<std::ptrdiff_t>(count / 2);
    std::nth_element(silences.begin(), middle,
                     silences.begin() + static_cast<std::ptrdiff_t>(count));
    return *middle - Duration{1};
  }

  HugeArray<Record> records_;
  int shift_;
  std::size_t used_ = 0;
  std::size_t peak_bytes_;
  Duration idle_;
  std::size_t most_;
};

}  // namespace sojourn
