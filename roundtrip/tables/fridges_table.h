#pragma once
// Several fridges as one self-tuning table, with one weight for all of them.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/huge_array.h"
#include "core/kind.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"
#include "roundtrip/tables/fridge_ladder.h"
#include "roundtrip/tables/growth.h"
#include "roundtrip/tables/request_rate.h"

namespace sojourn {

/// What a sample's weight represents.
enum class FridgeWeight : std::uint8_t {
  pooled,  ///< all pairs: the inverse of the chance to be seen in any fridge
  own,     ///< all pairs as this fridge alone saw them; Match::fridge names it, and
           ///< estimate/distribution/inverse_variance.h joins the fridges (FRIDGE section 4.2)
};

/// N fridges (fridge_ladder.h) that see the same arrivals.  Let E be summed over the arrivals since
/// the request, and p_k the probabilities when it came.  Then the probability that some fridge has
/// kept a pair is known, and its inverse is an unbiased weight (Horvitz and Thompson 1952):
///
///     w = 1 / sum_k p_k exp(-pace[k] (E_now - E_then))
///
/// Self-tuning.  The scale s is set so that the last fridge's lifetime is the number of requests
/// within the time `longest`.  It depends on past arrival times only, not on any coin.  So, given
/// the arrivals, the coins are as fair as with a fixed s, and each slot remembers E and s of its
/// own request.  The weights are therefore exact while s changes.  With one fridge this is FRIDGE's
/// with a self-tuning p.
///
/// Left out: pairs slower than 16 lifetimes of the last fridge (see FridgeTable), in too_old().
///
/// Repeats.  See FridgeTable.  In addition, if s rises between two copies, the second may be
/// admitted although the first was not.
template <FridgeWeight weighting>
class BasicFridgesTable {
 public:
  static constexpr double max_lives = 16;

  struct Options {
    std::size_t memory_bytes = std::size_t{4} << 20;
    unsigned fridges = 4;        ///< 1 to 8
    unsigned octaves_apart = 2;  ///< the lifetimes of neighbouring fridges differ fourfold
    Duration longest = std::chrono::seconds{10};   ///< the longest delay of interest
    std::optional<double> entry_probability = {};  ///< sum of p_k; without it, self-tuning
    Patience patience = {};
  };

  explicit BasicFridgesTable(const Options& options)
      : ladder_(options.fridges, options.octaves_apart,
                slots_in(options.memory_bytes, sizeof(Slot), 2), options.entry_probability),
        slots_(ladder_.slots_a_fridge() * ladder_.fridges()),
        patience_(options.patience),
        rate_(options.longest) {}

  void prefetch(std::uint64_t key) const {
    prefetch_to_write(&slots_[slot_of(key, home_of(KeyParts::coins(key)))]);
  }

  [[gnu::always_inline]] Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    if (++since_tuning_ == tuning_interval) [[unlikely]]
      tune(time);
    const std::uint64_t coins = KeyParts::coins(key);
    const unsigned fridge = home_of(coins);
    Slot& slot = slots_[slot_of(key, fridge)];
    if (slot.holds(key) && !expired(slot, to_ns(time))) [[unlikely]] {
      if (flags & repeat_is_ambiguous) slot.tag |= ambiguous_bit;
      return Admission::repeated;
    }
    if (flags & is_copy) return Admission::repeated;
    const FridgeLadder::Level& level = ladder_.level(level_);
    exposure_ += level.exposure;  // before it is stored: the request does not evict itself
    if (static_cast<std::uint32_t>(coins) >= level.enters_below[fridge])
      return Admission::by_chance;
    if ((slot.tag & (waiting_bit | half_bit)) == waiting_bit && !expired(slot, to_ns(time)))
      ++displaced_[slot.kind()];
    slot = {Slot::fingerprint(key) | std::uint64_t{index_of(kind_told(flags))} << kind_shift |
                ((flags & half_of_span) ? half_bit : 0) | exposure_unit() << exposure_shift |
                level_ << level_shift | ((flags & long_lived) ? long_bit : 0) | waiting_bit,
            to_ns(time)};
    return Admission::stored;
  }

  [[gnu::always_inline]] std::optional<Match> response(std::uint64_t key, Timestamp time) {
    const unsigned fridge = home_of(KeyParts::coins(key));
    Slot& slot = slots_[slot_of(key, fridge)];
    if (!slot.holds(key)) return std::nullopt;
    const std::uint64_t tag = slot.tag;
    const bool is_over = expired(slot, to_ns(time));
    slot.tag = 0;
    if (is_over) [[unlikely]]
      return std::nullopt;
    const double lives =
        static_cast<double>((exposure_unit() - (tag >> exposure_shift)) & unit_mask) * lives_a_unit;
    const FridgeLadder::Level& level = ladder_.level(tag >> level_shift & 63);
    if (lives * (weighting == FridgeWeight::own ? ladder_.pace(fridge) : 1) > max_lives)
        [[unlikely]] {
      ++too_old_;
      too_old_of_[(tag & half_bit) ? paired_kind_count : index_of(kind_of(tag))] += 1;
      return std::nullopt;
    }
    return Match{Duration{difference_ns(to_ns(time), slot.sent_ns)}, weight(level, fridge, lives),
                 (tag & ambiguous_bit) != 0, static_cast<std::uint8_t>(fridge)};
  }

  std::size_t memory_bytes() const { return slots_.memory_bytes(); }
  std::size_t slot_count() const { return slots_.size(); }
  std::uint64_t too_old() const { return too_old_; }
  /// Requests that were overwritten while they waited, and those that survived too long to get a
  /// weight; by kind, without halves of spans.
  std::uint64_t displaced(Kind kind) const { return displaced_[index_of(kind)]; }
  std::uint64_t too_old(Kind kind) const { return too_old_of_[index_of(kind)]; }

  /// The entry probability of the next request, in all fridges together.
  double entry_probability() const {
    double total = 0;
    for (unsigned k = 0; k < ladder_.fridges(); ++k)
      total += ladder_.level(level_).entry_probability[k];
    return total;
  }

 private:
  static constexpr std::uint64_t waiting_bit = 1, ambiguous_bit = 2, long_bit = 4;
  static constexpr int level_shift = 3, exposure_shift = 9, kind_shift = 32, fingerprint_shift = 36;
  static constexpr std::uint64_t half_bit = std::uint64_t{1} << 35;
  /// A slot keeps the upper 23 bits of E: 2^-17 of the longest lifetime.
  static constexpr int unit_shift = 41;
  static constexpr std::uint64_t unit_mask = (std::uint64_t{1} << (64 - unit_shift)) - 1;
  static constexpr double lives_a_unit =
      1.0 / (std::uint64_t{1} << (FridgeLadder::life_bits - unit_shift));
  static constexpr std::uint32_t tuning_interval = 64;

  struct Slot {
    std::uint64_t tag;  ///< fingerprint (28 bits), half of a span, kind (3), E (23), level (6),
                        ///< long, ambiguous, waiting; 0 is empty
    std::int64_t sent_ns;

    static std::uint64_t fingerprint(std::uint64_t key) {
      return std::uint64_t{KeyParts::fingerprint(key) >> 4} << fingerprint_shift;
    }
    bool holds(std::uint64_t key) const {
      return (tag & waiting_bit) && (tag ^ fingerprint(key)) >> fingerprint_shift == 0;
    }
    std::size_t kind() const { return index_of(kind_of(tag)); }
  };
  static_assert(sizeof(Slot) == 16);

  static Kind kind_of(std::uint64_t tag) { return static_cast<Kind>(tag >> kind_shift & 7); }
  unsigned home_of(std::uint64_t coins) const {
    return ladder_.home(static_cast<std::uint32_t>(coins >> 33));
  }
  std::size_t slot_of(std::uint64_t key, unsigned fridge) const {
    return fridge * ladder_.slots_a_fridge() + KeyParts::slot(key, ladder_.slots_a_fridge());
  }
  bool expired(const Slot& slot, std::int64_t now_ns) const {
    return patience_.is_over(slot.sent_ns, now_ns, slot.tag & long_bit);
  }
  std::uint64_t exposure_unit() const { return exposure_ >> unit_shift; }

  double weight(const FridgeLadder::Level& level, unsigned fridge, double lives) const {
    if constexpr (weighting == FridgeWeight::own)
      return growth(ladder_.pace(fridge) * lives) / level.entry_probability[fridge];
    return 1 / ladder_.chance(level, lives);
  }

  /// Follows the rate in steps of half an octave.  A hysteresis of a quarter of an octave on either
  /// side prevents oscillation; the error is flat within a factor of two (FRIDGE section 5.2).
  [[gnu::noinline]] void tune(Timestamp now) {
    since_tuning_ = 0;
    rate_.add(tuning_interval, now);
    const double wanted = ladder_.level_for(rate_.in_span());
    if (std::fabs(wanted - static_cast<double>(level_)) > 0.75)
      level_ = static_cast<std::uint64_t>(std::llround(wanted));
  }

  FridgeLadder ladder_;
  HugeArray<Slot> slots_;
  Patience patience_;
  std::uint64_t exposure_ = 0;  ///< E
  std::uint64_t level_ = 0;
  std::uint32_t since_tuning_ = 0;
  RequestRate rate_;
  std::uint64_t too_old_ = 0;
  std::array<std::uint64_t, paired_kind_count> displaced_{};
  std::array<std::uint64_t, paired_kind_count + 1> too_old_of_{};  ///< the last is for halves
};

using FridgesTable = BasicFridgesTable<FridgeWeight::pooled>;
using FridgesIvwTable = BasicFridgesTable<FridgeWeight::own>;
static_assert(PairTable<FridgesTable> && PairTable<FridgesIvwTable>);

}  // namespace sojourn
