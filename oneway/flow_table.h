#pragma once
// A fixed number of flows, each with a value: found by hash, iterated in the order of their first
// packets.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/flow_key.h"
#include "core/huge_array.h"
#include "core/prefetch.h"

namespace sojourn {

/// Entries are stored contiguously; an index of twice as many cells, with linear probing, locates
/// them.  Memory is fixed by the constructor.  A flow without room has no entry; the caller counts
/// that.
template <class Value>
  requires std::is_trivially_copyable_v<Value>
class FlowTable {
 public:
  struct Entry {
    FlowKey key;
    Value value;
  };
  static constexpr std::uint32_t none = 0xffff'ffff;

  explicit FlowTable(std::size_t memory_bytes)
      : entries_(entries_in(memory_bytes)), cells_(std::bit_ceil(2 * entries_.size())) {}

  /// Two prefetch steps, some flows apart: the index, then the entry that it seems to point at.
  [[gnu::always_inline]] void prefetch(std::uint64_t hash) const {
    prefetch_to_read(&cells_[place_of(hash)]);
  }
  [[gnu::always_inline]] void prefetch_entry(std::uint64_t hash) const {
    const Cell& cell = cells_[place_of(hash)];
    if (cell.number == 0) return;
    const auto* const entry = reinterpret_cast<const char*>(&entries_[cell.number - 1]);
    for (std::size_t line = 0; line < sizeof(Entry); line += 64) prefetch_to_write(entry + line);
  }

  /// Number of the flow's entry, created if it is new and there is room.  `hash` is a good hash of
  /// key.
  std::uint32_t find_or_add(const FlowKey& key, std::uint64_t hash) {
    const auto tag = static_cast<std::uint32_t>(hash);
    for (std::size_t place = place_of(hash);; place = (place + 1) & (cells_.size() - 1)) {
      Cell& cell = cells_[place];
      if (cell.number == 0) {
        if (size_ == entries_.size()) return none;
        cell = {tag, ++size_};
        entries_[size_ - 1] = {key, Value{}};
        return size_ - 1;
      }
      if (cell.tag == tag && entries_[cell.number - 1].key == key) return cell.number - 1;
    }
  }

  Value& operator[](std::uint32_t number) { return entries_[number].value; }
  const Value& operator[](std::uint32_t number) const { return entries_[number].value; }
  std::span<const Entry> entries() const { return {entries_.begin(), size_}; }
  std::size_t memory_bytes() const { return entries_.memory_bytes() + cells_.memory_bytes(); }

 private:
  struct Cell {
    std::uint32_t tag;
    std::uint32_t number;  ///< of the entry, from 1; 0: free
  };

  /// The index has between two and four cells for each entry.
  static std::size_t entries_in(std::size_t memory_bytes) {
    std::size_t entries = 1;
    for (std::size_t cells = 2; cells * sizeof(Cell) < memory_bytes; cells *= 2) {
      const std::size_t room = (memory_bytes - cells * sizeof(Cell)) / sizeof(Entry);
      entries = std::max(entries, std::min(room, cells / 2));
    }
    return entries;
  }
  std::size_t place_of(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> 32 ^ hash << 7) & (cells_.size() - 1);
  }

  HugeArray<Entry> entries_;
  HugeArray<Cell> cells_;
  std::uint32_t size_ = 0;
};

}  // namespace sojourn
