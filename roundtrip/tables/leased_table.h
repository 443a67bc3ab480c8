#pragma once
// STAGED made unbiased: every request draws at random how long it may wait.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

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

/// Four slots a key, all in one cache line.  A request takes the first slot that is empty or whose
/// lease is over, and is refused if there is none; nothing is overwritten before its lease ends.  A
/// pair is seen if its request was accepted and drew a lease of at least its delay, so it weighs
///
///     w = attempts per acceptance (of the last few, acceptance.h) / S(delay)
///
/// The longest delay need not be known well: the lease is heavy-tailed, so some requests wait long
/// while most leave soon.  And an attacker cannot fill the table with requests timed to just under
/// a fixed expiry (STAGED, "Security").
///
/// Left out: pairs slower than `lease.longest`.  Not exact: among the last few accepted, load and
/// delay are assumed independent; the remaining bias is below what leased_table_test can detect.
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
        lines_(slots_in(options.memory_bytes, sizeof(Line), 1)) {}

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
    acceptance_.add(room != nullptr);
    if (!room) {
      ++refused_;
      return Admission::no_room;
    }
    const std::uint64_t lease = LeaseTerms::draw(static_cast<std::uint32_t>(KeyParts::coins(key)));
    *room = {std::uint64_t{KeyParts::fingerprint(key)} << 32 | rounded(acceptance_.stands_for()) |
                 lease << lease_shift | ((flags & long_lived) ? long_bit : 0) | waiting_bit,
             now_ns};
    return is_for_a_while(*room) ? Admission::stored_for_a_while : Admission::stored;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    for (Slot& slot : lines_[line_of(key)].slots) {
      if (!slot.waits() || !slot.holds(key)) continue;
      const Slot found = slot;
      slot.tag = 0;
      // A lease that is over counts as over even if the slot was not reused: the weight assumes so.
      if (expired(found, to_ns(time))) continue;
      const std::int64_t delay_ns = difference_ns(to_ns(time), found.sent_ns);
      return Match{.delay = Duration{delay_ns},
                   .weight = static_cast<double>(found.stands_for()) / terms_.survival(delay_ns),
                   .ambiguous = (found.tag & ambiguous_bit) != 0,
                   .for_a_while = is_for_a_while(found)};
    }
    return std::nullopt;
  }

  std::size_t memory_bytes() const { return lines_.memory_bytes(); }
  std::size_t slot_count() const { return lines_.size() * 4; }
  std::uint64_t refused() const { return refused_; }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4;
  static constexpr int lease_shift = 4, stands_for_shift = 13, dropped_bits = 12;

  struct Slot {
    /// Fingerprint (32 bits), attempts it represents (19), lease (9), one unused, long, ambiguous,
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
  };
  struct Line {
    Slot slots[4];
  };
  static_assert(sizeof(Line) == 64 && LeaseTerms::steps <= 512);

  static std::uint64_t rounded(float stands_for) {
    const std::uint32_t bits =
        std::bit_cast<std::uint32_t>(stands_for) + (1u << (dropped_bits - 1));
    return std::uint64_t{bits >> dropped_bits} << stands_for_shift;
  }
  std::size_t line_of(std::uint64_t key) const { return KeyParts::slot(key, lines_.size()); }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return difference_ns(now_ns, slot.sent_ns) > terms_.lease_ns(slot.lease()) ||
           patience_.is_over(slot.sent_ns, now_ns, slot.tag & long_bit);
  }

  bool is_for_a_while(const Slot& slot) const {
    return terms_.lease_ns(slot.lease()) <
           to_ns((slot.tag & long_bit) ? patience_.expire_long_lived : patience_.expire);
  }

  LeaseTerms terms_;
  Patience patience_;
  Acceptance acceptance_;
  HugeArray<Line> lines_;
  std::uint64_t refused_ = 0;
};

static_assert(PairTable<LeasedTable>);

}  // namespace sojourn
