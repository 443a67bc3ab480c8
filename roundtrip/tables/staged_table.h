#pragma once
// STAGED's table: several chances to find a free slot, and expiry only when the slot is needed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/hash.h"
#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"

namespace sojourn {

/// Where the stages of a key are.
enum class StageLayout : std::uint8_t {
  independent_hashes,  ///< the paper's: each stage is an array with its own hash function
  one_cache_line,      ///< all stages of a key in one line of four slots: one miss instead of four
};

/// S stages (Chen et al. 2020, section 2.3).  A request takes the first stage whose slot is empty
/// or has expired, and is refused if there is none; a response searches all stages and removes its
/// request.
///
/// NOT unbiased: pairs slower than `expire` are never seen.  Refusals happen at busy times, so if
/// delay rises with load the slow pairs are missed (fixed_memory_test shows by how much).  Every
/// sample weighs 1.
///
/// The paper also matches requests that have expired but were not yet overwritten.  That is a
/// sample of the slow pairs whose size depends on the load.  So here `expire` has the same meaning
/// as in ExactTable; the lab uses the paper's rule.
template <StageLayout layout = StageLayout::independent_hashes>
class BasicStagedTable {
 public:
  static constexpr unsigned max_stages = 8;

  struct Options {
    std::size_t memory_bytes = std::size_t{4} << 20;
    unsigned stages = 4;  ///< 1 to 8; the gain ends at 3 or 4 (the paper's figure 6)
    Patience patience = {};
    bool matches_expired = false;  ///< the paper's lazy expiry: see above
  };

  explicit BasicStagedTable(const Options& options)
      : stages_(layout == StageLayout::one_cache_line ? slots_a_line
                : options.stages < 1                  ? 1
                : options.stages > max_stages         ? max_stages
                                                      : options.stages),
        slots_a_stage_(slots_in(options.memory_bytes / stages_, sizeof(Slot), 1)),
        slots_(slots_a_stage_ * stages_),
        patience_(options.patience),
        matches_expired_(options.matches_expired) {}

  void prefetch(std::uint64_t key) const {
    if constexpr (layout == StageLayout::one_cache_line) {
      prefetch_to_write(&slots_[slot_of(key, 0)]);
    } else {
      for (unsigned stage = 0; stage < stages_; ++stage)
        prefetch_to_write(&slots_[slot_of(key, stage)]);
    }
  }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    const std::int64_t now_ns = to_ns(time);
    Slot* room = nullptr;
    // All stages are searched even if the first is free: the key may wait in a later one.
    for (unsigned stage = 0; stage < stages_; ++stage) {
      Slot& slot = slots_[slot_of(key, stage)];
      const bool is_free = slot.tag == 0 || expired(slot, now_ns);
      if (slot.tag != 0 && slot.holds(key) && !is_free) {
        if (flags & repeat_is_ambiguous) slot.tag |= ambiguous_bit;
        return Admission::repeated;
      }
      if (is_free && !room) room = &slot;
    }
    if (flags & is_copy) return Admission::repeated;
    if (!room) {
      ++refused_;
      return Admission::no_room;
    }
    *room = {(key & ~low_bits) | ((flags & long_lived) ? long_bit : 0) | waiting_bit, now_ns};
    return Admission::stored;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    for (unsigned stage = 0; stage < stages_; ++stage) {
      Slot& slot = slots_[slot_of(key, stage)];
      if (slot.tag == 0 || !slot.holds(key)) continue;
      const Slot found = slot;
      slot.tag = 0;
      // An expired copy may be in an earlier stage than the one that waits.
      if (!matches_expired_ && expired(found, to_ns(time))) continue;
      return Match{Duration{difference_ns(to_ns(time), found.sent_ns)}, 1.0,
                   (found.tag & ambiguous_bit) != 0};
    }
    return std::nullopt;
  }

  std::size_t memory_bytes() const { return slots_.memory_bytes(); }
  std::size_t slot_count() const { return slots_.size(); }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4, low_bits = 7;
  static constexpr unsigned slots_a_line = 4;
  static constexpr std::array<std::uint64_t, max_stages / 2> multipliers = {
      0, 0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu};

  struct Slot {
    std::uint64_t tag;  ///< key with its low bits replaced; 0 is empty
    std::int64_t sent_ns;

    bool holds(std::uint64_t key) const { return ((tag ^ key) & ~low_bits) == 0; }
  };
  static_assert(sizeof(Slot) == 16);

  std::size_t slot_of(std::uint64_t key, unsigned stage) const {
    if constexpr (layout == StageLayout::one_cache_line) {
      return KeyParts::slot(key, slots_a_stage_) * slots_a_line + stage;
    } else {
      // Two stages from each 64 bits: the key itself, then mixes of it.
      const std::uint64_t bits = stage < 2 ? key : fold_multiply(key, multipliers[stage / 2]);
      const std::uint64_t half = stage % 2 ? bits << 32 : bits;
      return stage * slots_a_stage_ + KeyParts::slot(half, slots_a_stage_);
    }
  }

  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return patience_.is_over(slot.sent_ns, now_ns, slot.tag & long_bit);
  }

  unsigned stages_;
  std::size_t slots_a_stage_;
  HugeArray<Slot> slots_;
  Patience patience_;
  bool matches_expired_;
  std::uint64_t refused_ = 0;
};

using StagedTable = BasicStagedTable<>;
static_assert(PairTable<StagedTable>);

}  // namespace sojourn
