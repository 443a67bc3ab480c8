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

/// Remembers every request until it expires, so every pair closer than `expire` is found.
///
/// Open addressing with linear probing over 16-byte slots, four to a cache line, at most 60 %
/// full.  An expired slot is reused in place when a newcomer's probe meets it; the rest are swept
/// when the table fills up, and the table doubles only if more than a third is still alive.  So
/// memory follows the number of requests within `expire`, not the length of the capture.
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
  // The low three bits of a tag: two of state, one for a long life.
  enum State : std::uint64_t { empty = 0, waiting = 1, ambiguous = 2, answered = 3 };
  static constexpr std::uint64_t state_bits = 3, long_bit = 4, low_bits = 7;

  struct Slot {
    std::uint64_t tag;  ///< key with its low bits replaced
    std::int64_t sent_ns;

    std::uint64_t state() const { return tag & state_bits; }
    bool holds(std::uint64_t key) const { return ((tag ^ key) & ~low_bits) == 0; }
    void set_state(State state) { tag = (tag & ~state_bits) | state; }
  };

  std::size_t home(std::uint64_t key) const { return key >> shift_; }
  std::size_t after(std::size_t index) const { return (index + 1) & (slots_.size() - 1); }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return difference_ns(now_ns, slot.sent_ns) > ((slot.tag & long_bit) ? long_lived_ns_ : expire_ns_);
  }
  void sweep(std::int64_t now_ns);

  HugeArray<Slot> slots_;
  int shift_;
  std::size_t used_ = 0;  ///< slots that are not empty
  std::size_t peak_bytes_;
  std::int64_t expire_ns_;
  std::int64_t long_lived_ns_;
};

inline Admission ExactTable::request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
  const std::int64_t now_ns = to_ns(time);
  Slot* room = nullptr;
  std::size_t index = home(key);
  for (; slots_[index].state() != empty; index = after(index)) {
    Slot& slot = slots_[index];
    if (slot.holds(key)) {
      if (expired(slot, now_ns)) {
        room = &slot;
        break;
      }
      if (slot.state() == answered) {
        if (!(flags & restarts_after_answer)) return Admission::repeated;
        room = &slot;
        break;
      }
      if (flags & repeat_is_ambiguous) slot.set_state(ambiguous);
      return Admission::repeated;
    }
    if (!room && expired(slot, now_ns)) room = &slot;
  }
  if (!room) {
    room = &slots_[index];
    ++used_;
  }
  *room = {(key & ~low_bits) | ((flags & long_lived) ? long_bit : 0) | waiting, now_ns};
  if (used_ > slots_.size() / 5 * 3) [[unlikely]] sweep(now_ns);
  return Admission::stored;
}

inline std::optional<Match> ExactTable::response(std::uint64_t key, Timestamp time) {
  const std::int64_t now_ns = to_ns(time);
  for (std::size_t index = home(key); slots_[index].state() != empty; index = after(index)) {
    Slot& slot = slots_[index];
    if (!slot.holds(key)) continue;
    if (slot.state() == answered || expired(slot, now_ns)) return std::nullopt;
    const bool was_ambiguous = slot.state() == ambiguous;
    slot.set_state(answered);
    return Match{Duration{difference_ns(now_ns, slot.sent_ns)}, 1.0, was_ambiguous};
  }
  return std::nullopt;
}

static_assert(PairTable<ExactTable>);

}  // namespace sojourn
