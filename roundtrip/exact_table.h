#pragma once
// The table that forgets nothing before its time: the ground truth.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/huge_array.h"
#include "core/time.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"

namespace sojourn {

/// Remembers every request until it is answered or expires, so every pair closer than `expire` is
/// found.
///
/// Open addressing with linear probing over 16-byte slots, four to a cache line, at most 60 %
/// full.  An answer takes its request out and closes the gap, so what waits stays small and warm.
/// An expired slot is reused in place when a newcomer's probe meets it; the rest are swept when the
/// table fills up, and the table doubles only if more than a third is still alive.  So memory
/// follows the number of requests that wait, not the length of the capture.
class ExactTable {
 public:
  struct Options {
    Duration expire = std::chrono::seconds{10};
    Duration expire_long_lived = std::chrono::hours{1};
    std::size_t initial_slots = std::size_t{1} << 14;
  };

  explicit ExactTable(const Options& options);

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)], 1); }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags);
  std::optional<Match> response(std::uint64_t key, Timestamp time);

  std::size_t memory_bytes() const { return peak_bytes_; }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4, low_bits = 7;

  struct Slot {
    std::uint64_t tag;  ///< key with its low bits replaced; 0 is empty
    std::int64_t sent_ns;

    bool holds(std::uint64_t key) const { return ((tag ^ key) & ~low_bits) == 0; }
  };

  std::size_t home(std::uint64_t key) const { return key >> shift_; }
  std::size_t after(std::size_t index) const { return (index + 1) & (slots_.size() - 1); }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return difference_ns(now_ns, slot.sent_ns) > ((slot.tag & long_bit) ? long_lived_ns_ : expire_ns_);
  }
  void sweep(std::int64_t now_ns);
  void close_gap(std::size_t gap);

  HugeArray<Slot> slots_;
  int shift_;
  std::size_t used_ = 0;  ///< slots that are not empty
  std::size_t limit_;     ///< of used_, before the table is swept
  std::size_t peak_bytes_;
  std::int64_t expire_ns_;
  std::int64_t long_lived_ns_;
};

inline Admission ExactTable::request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
  const std::int64_t now_ns = to_ns(time);
  std::size_t index = home(key);
  Slot* room = nullptr;
  for (; slots_[index].tag != 0; index = after(index)) {
    Slot& slot = slots_[index];
    if (slot.holds(key)) {
      if (!expired(slot, now_ns)) {
        if (flags & repeat_is_ambiguous) slot.tag |= ambiguous_bit;
        return Admission::repeated;
      }
      room = &slot;
      break;
    }
    if (!room && expired(slot, now_ns)) room = &slot;
  }
  if (!room) {
    room = &slots_[index];
    ++used_;
  }
  *room = {(key & ~low_bits) | ((flags & long_lived) ? long_bit : 0) | waiting_bit, now_ns};
  if (used_ > limit_) [[unlikely]] sweep(now_ns);
  return Admission::stored;
}

inline std::optional<Match> ExactTable::response(std::uint64_t key, Timestamp time) {
  for (std::size_t index = home(key); slots_[index].tag != 0; index = after(index)) {
    if (!slots_[index].holds(key)) continue;
    const Slot slot = slots_[index];
    close_gap(index);
    if (expired(slot, to_ns(time))) return std::nullopt;
    return Match{Duration{difference_ns(to_ns(time), slot.sent_ns)}, 1.0,
                 (slot.tag & ambiguous_bit) != 0};
  }
  return std::nullopt;
}

/// Empties a slot without breaking the probes that pass it: a later slot of the run moves up unless
/// it would come before its home (Knuth, The Art of Computer Programming, 6.4, algorithm R).
inline void ExactTable::close_gap(std::size_t gap) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t index = after(gap); slots_[index].tag != 0; index = after(index)) {
    const std::size_t from_home = (index - home(slots_[index].tag)) & mask;
    if (from_home < ((index - gap) & mask)) continue;
    slots_[gap] = slots_[index];
    gap = index;
  }
  slots_[gap].tag = 0;
  --used_;
}

static_assert(PairTable<ExactTable>);

}  // namespace sojourn
