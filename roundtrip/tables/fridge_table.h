#pragma once
// FRIDGE's table: new requests overwrite old ones, and long survivors get larger weights.

#include <bit>
#include <cmath>
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
#include "roundtrip/tables/growth.h"

namespace sojourn {

/// Which requests advance a fridge's counter.  The counter and the eviction probability of one step
/// belong together: the paper's text counts arrivals (sections 3 and 5) but its switch program
/// counts insertions (6.1; test_count_insertions.h).  Either is unbiased, a mixture is not.
struct CountArrivals {
  static constexpr int slot_bits = 29;  ///< bits of the counter in a slot
  static double eviction_chance(double p, double slots) { return p / slots; }
  static constexpr bool counts(bool /*entered*/) { return true; }
};

/// fridge(M, p) of Zheng et al. 2022, section 3.2.  A request is admitted with probability p,
/// decided by its key, and overwrites the old one.  A pair that survived x steps of the counter
/// weighs
///
///     w = 1 / (p (1 - c)^x)        c = p/M for arrivals, 1/M for insertions
///
/// the inverse of its chance to be seen (Horvitz-Thompson), so sums of weights are unbiased for
/// any rate, any delays and any share of unanswered requests.  One slot, one cache line a packet.
///
/// A pair is dropped, and counted in too_old(), if it survived more than `max_lives` average
/// lifetimes 1/c.  Its probability was below p e^-16: one in nine million of such pairs would be
/// seen and would dominate everything else.  So the estimate leaves out pairs slower than 16
/// lifetimes.
///
/// Repeats.  The counter takes a repeat of another key for a new request, although the same key
/// cannot evict twice.  With a share r of repeats, weights at the age of one lifetime are too large
/// by at most a factor e^r.  A repeat whose first copy is still waiting is recognised and not
/// counted.
template <class Counting = CountArrivals>
class BasicFridgeTable {
 public:
  static constexpr double max_lives = 16;

  struct Options {
    std::size_t memory_bytes = std::size_t{4} << 20;
    double entry_probability = 1;  ///< M / (requests in the longest delay of interest)
    Patience patience = {};
  };

  explicit BasicFridgeTable(const Options& options)
      : slots_(slots_in(options.memory_bytes, sizeof(Slot), 2)),
        // 2^32 for p = 1: every coin is below it.
        threshold_(static_cast<std::uint64_t>(
            std::llround(std::fmin(std::fmax(options.entry_probability, 0x1p-32), 1) * 0x1p32))),
        inverse_p_(0x1p32 / static_cast<double>(threshold_)),
        hazard_(-std::log1p(
            -Counting::eviction_chance(1 / inverse_p_, static_cast<double>(slots_.size())))),
        patience_(options.patience) {
    // The slot's 29 bits have to hold twice max_lives: an older request survives with a probability
    // of e^-32.  If needed, one unit represents several steps, at most 2^-23 of a lifetime.
    while (2 * max_lives / hazard_ > std::ldexp(1.0, Counting::slot_bits + shift_)) ++shift_;
    hazard_a_unit_ = std::ldexp(hazard_, shift_);
    max_age_ = static_cast<std::uint32_t>(max_lives / hazard_a_unit_);
  }

  void prefetch(std::uint64_t key) const { prefetch_to_write(&slots_[slot_of(key)]); }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    Slot& slot = slots_[slot_of(key)];
    if (slot.holds(key) && !expired(slot, to_ns(time))) [[unlikely]] {
      if (flags & repeat_is_ambiguous) slot.tag |= ambiguous_bit;
      return Admission::repeated;
    }
    if (flags & is_copy) return Admission::repeated;
    const bool enters = (KeyParts::coins(key) >> 32) < threshold_;
    counter_ += Counting::counts(enters);  // before it is stored: x leaves out the request itself
    if (!enters) return Admission::by_chance;
    slot = {std::uint64_t{KeyParts::fingerprint(key)} << 32 | counter() << counter_shift |
                ((flags & long_lived) ? long_bit : 0) | waiting_bit,
            to_ns(time)};
    return Admission::stored;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    Slot& slot = slots_[slot_of(key)];
    if (!slot.holds(key)) return std::nullopt;
    const std::uint64_t tag = slot.tag;
    const bool is_over = expired(slot, to_ns(time));
    slot.tag = 0;
    if (is_over) [[unlikely]]
      return std::nullopt;
    const auto age =
        static_cast<std::uint32_t>((counter() - (tag >> counter_shift)) & counter_mask);
    if (age > max_age_) [[unlikely]] {
      ++too_old_;
      return std::nullopt;
    }
    return Match{Duration{difference_ns(to_ns(time), slot.sent_ns)},
                 inverse_p_ * growth(age * hazard_a_unit_), (tag & ambiguous_bit) != 0};
  }

  std::size_t memory_bytes() const { return slots_.memory_bytes(); }
  std::size_t slot_count() const { return slots_.size(); }
  double entry_probability() const { return 1 / inverse_p_; }
  std::uint64_t too_old() const { return too_old_; }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4;
  static constexpr int counter_shift = 3;
  static constexpr std::uint64_t counter_mask = (std::uint64_t{1} << Counting::slot_bits) - 1;

  struct Slot {
    std::uint64_t
        tag;  ///< fingerprint (32 bits), counter (29), long, ambiguous, waiting; 0 is empty
    std::int64_t sent_ns;

    bool holds(std::uint64_t key) const {
      return (tag & waiting_bit) && tag >> 32 == KeyParts::fingerprint(key);
    }
  };
  static_assert(sizeof(Slot) == 16);

  std::size_t slot_of(std::uint64_t key) const { return KeyParts::slot(key, slots_.size()); }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return patience_.is_over(slot.sent_ns, now_ns, slot.tag & long_bit);
  }
  std::uint64_t counter() const { return (counter_ >> shift_) & counter_mask; }

  HugeArray<Slot> slots_;
  std::uint64_t threshold_;  ///< p * 2^32
  double inverse_p_;
  double hazard_;  ///< -log(1 - c): of one step of the counter
  Patience patience_;
  double hazard_a_unit_ = 0;
  int shift_ = 0;  ///< log2 of the steps in one unit of a slot's counter
  std::uint32_t max_age_ = 0;
  std::uint64_t counter_ = 0;
  std::uint64_t too_old_ = 0;
};

using FridgeTable = BasicFridgeTable<>;
static_assert(PairTable<FridgeTable>);

}  // namespace sojourn
