#pragma once
// STAGED made unbiased: every request draws how long it may wait.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/huge_array.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"
#include "roundtrip/tables/acceptance.h"
#include "roundtrip/tables/lease_terms.h"

namespace sojourn {

/// Four slots a key, all in one cache line.  A request takes the first that is empty or whose lease
/// is over, and is refused if there is none; nothing is overwritten before its lease ends.  A pair
/// is seen if its request was accepted and drew a lease of at least its delay, so it weighs
///
///     w = attempts / accepts (of the slice of traffic around its request) / S(delay)
///
/// No longest delay has to be known well: the lease is heavy-tailed, so some requests wait long
/// while most give way soon.  And nobody can fill the table with requests timed to just under a
/// fixed expiry (STAGED, "Security").
///
/// The figure of a slice is known when the slice is over.  Until then the slots it filled are on a
/// short list, which is then gone through once; so memory does not grow with the number of slices.
///
/// Left out: pairs slower than `lease.longest`.  Not exact: within a slice, load and delay are
/// taken for independent; what is left of that is below what leased_table_test can see.
class LeasedTable {
 public:
  struct Options {
    std::size_t memory_bytes = std::size_t{4} << 20;
    LeaseTerms::Options lease = {};
    Patience patience = {};
  };

  explicit LeasedTable(const Options& options)
      : terms_(options.lease),
        patience_(options.patience),
        acceptance_(options.memory_bytes / sizeof(Slot)),
        lines_(slots_in(options.memory_bytes - std::min(options.memory_bytes, list_bytes()),
                        sizeof(Line), 1)) {
    undecided_.reserve(acceptance_.most_accepts());
  }

  void prefetch(std::uint64_t key) const { prefetch_to_write(&lines_[line_of(key)]); }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    const std::int64_t now_ns = to_ns(time);
    Slot* room = nullptr;
    for (Slot& slot : lines_[line_of(key)].slots) {
      const bool is_free = !slot.waits() || expired(slot, now_ns);
      if (!is_free && slot.holds(key)) [[unlikely]] {
        if (flags & repeat_is_ambiguous) slot.tag |= ambiguous_bit;
        return Admission::repeated;
      }
      if (is_free && !room) room = &slot;
    }
    if (flags & is_copy) return Admission::repeated;
    if (room) {
      const std::uint64_t lease =
          LeaseTerms::draw(static_cast<std::uint32_t>(KeyParts::coins(key)));
      *room = {std::uint64_t{KeyParts::fingerprint(key)} << 32 | lease << lease_shift |
                   ((flags & long_lived) ? long_bit : 0) | undecided_bit | waiting_bit,
               now_ns};
      undecided_.push_back(room);
    } else {
      ++refused_;
    }
    if (acceptance_.add(room != nullptr)) [[unlikely]]
      decide();
    if (!room) return Admission::no_room;
    return is_for_a_while(*room) ? Admission::stored_for_a_while : Admission::stored;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    for (Slot& slot : lines_[line_of(key)].slots) {
      if (!slot.waits() || !slot.holds(key)) continue;
      const Slot found = slot;
      slot.tag = 0;
      // A lease that is over counts as over even if nobody needed the slot: the weight says so.
      if (expired(found, to_ns(time))) continue;
      const std::int64_t delay_ns = difference_ns(to_ns(time), found.sent_ns);
      const float stands_for =
          (found.tag & undecided_bit) ? acceptance_.running() : found.stands_for();
      return Match{.delay = Duration{delay_ns},
                   .weight = static_cast<double>(stands_for) / terms_.survival(delay_ns),
                   .ambiguous = (found.tag & ambiguous_bit) != 0,
                   .for_a_while = is_for_a_while(found)};
    }
    return std::nullopt;
  }

  std::size_t memory_bytes() const {
    return lines_.memory_bytes() + undecided_.capacity() * sizeof(Slot*);
  }
  std::size_t slot_count() const { return lines_.size() * 4; }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, undecided_bit = 4,
                                 long_bit = 8;
  static constexpr int lease_shift = 4, stands_for_shift = 13, dropped_bits = 12;

  struct Slot {
    /// Fingerprint (32 bits), attempts/accepts (19), lease (9), long, undecided, ambiguous,
    /// waiting; 0 is empty.
    std::uint64_t tag;
    std::int64_t sent_ns;

    bool waits() const { return tag & waiting_bit; }
    bool holds(std::uint64_t key) const { return tag >> 32 == KeyParts::fingerprint(key); }
    unsigned lease() const { return static_cast<unsigned>(tag >> lease_shift) & 511; }
    /// A positive float without its sign and its last 12 bits: within 2^-12.
    float stands_for() const {
      return std::bit_cast<float>((static_cast<std::uint32_t>(tag) >> stands_for_shift)
                                  << dropped_bits);
    }
    void decide(float stands_for) {
      const std::uint32_t rounded =
          std::bit_cast<std::uint32_t>(stands_for) + (1u << (dropped_bits - 1));
      tag = (tag & ~undecided_bit) | std::uint64_t{rounded >> dropped_bits} << stands_for_shift;
    }
  };
  struct Line {
    Slot slots[4];
  };
  static_assert(sizeof(Line) == 64 && LeaseTerms::steps <= 512);

  std::size_t list_bytes() const { return acceptance_.most_accepts() * sizeof(Slot*); }
  std::size_t line_of(std::uint64_t key) const { return KeyParts::slot(key, lines_.size()); }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return difference_ns(now_ns, slot.sent_ns) > terms_.lease_ns(slot.lease()) ||
           patience_.is_over(slot.sent_ns, now_ns, slot.tag & long_bit);
  }

  bool is_for_a_while(const Slot& slot) const {
    return terms_.lease_ns(slot.lease()) <
           to_ns((slot.tag & long_bit) ? patience_.expire_long_lived : patience_.expire);
  }

  /// A slot that was answered and taken again within the slice is on the list twice, and belongs
  /// to the same slice both times.
  void decide() {
    for (Slot* const slot : undecided_)
      if (slot->tag & undecided_bit) slot->decide(acceptance_.finished());
    undecided_.clear();
  }

  LeaseTerms terms_;
  Patience patience_;
  Acceptance acceptance_;
  HugeArray<Line> lines_;
  std::vector<Slot*> undecided_;  ///< taken in the slice that is not over
  std::uint64_t refused_ = 0;
};

static_assert(PairTable<LeasedTable>);

}  // namespace sojourn
