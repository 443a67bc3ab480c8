#pragma once
// Ten waiting requests in one cache line.

#include <array>
#include <cstddef>
#include <cstdint>

#include "roundtrip/lease_plan.h"

namespace sojourn {

/// What a line keeps of a request: six bytes instead of sixteen.
struct WaitEntry {
  unsigned step = 0;        ///< how long it may wait (WaitSteps); 0 is an empty slot
  unsigned fingerprint = 0; ///< 20 bits
  unsigned stands_for = 0;  ///< StandsFor's code
  std::int64_t age_ns = 0;  ///< at the time the line was looked at, within 2^-17 of its longest wait
};

/// A time is kept in 19 bits, in units of 2^-18 to 2^-17 of what its entry may wait, and so wraps after
/// two to four waits.  The line also knows when it was last looked at, when all that was over was
/// thrown out: an entry was then at most its wait old, and that settles which wrap it is.
class WaitLine {
 public:
  static constexpr unsigned slots = 10;
  static constexpr unsigned fingerprint_bits = 20;
  static constexpr int time_bits = 19;

  /// Throws out what is over.  To be called before the entries are looked at.
  void look(std::int64_t now_ns) {
    // A clock that steps back has let no time pass.
    const auto elapsed = static_cast<std::int32_t>(touch_time(now_ns) - touched_);
    // Both ends are rounded down, so that one unit less has passed for certain.
    const std::int64_t since_ns = elapsed > 1 ? std::int64_t{elapsed - 1} << touch_shift : 0;
    for (unsigned i = 0; i < slots; ++i)
      if (words_[i] && age_of(words_[i], now_ns, since_ns) > WaitSteps::longest_ns(step_of(words_[i]))) words_[i] = 0;
    if (elapsed > 0) touched_ = touch_time(now_ns);
  }

  bool is_free(unsigned i) const { return words_[i] == 0; }
  bool may_hold(unsigned i, unsigned fingerprint) const {
    return words_[i] != 0 && fingerprint_at(i) == fingerprint;
  }
  /// After look() at the same time.
  WaitEntry at(unsigned i, std::int64_t now_ns) const {
    const std::uint32_t word = words_[i];
    return {step_of(word), fingerprint_at(i), word >> stands_for_shift & 7, age_of(word, now_ns, 0)};
  }
  void put(unsigned i, const WaitEntry& entry, std::int64_t now_ns) {
    words_[i] = (static_cast<std::uint32_t>(now_ns >> unit_shift(entry.step)) & time_mask) |
                entry.step << time_bits | entry.stands_for << stands_for_shift |
                entry.fingerprint >> 16 << fingerprint_shift;
    low_[i] = static_cast<std::uint16_t>(entry.fingerprint);
  }
  void set_stands_for(unsigned i, unsigned code) { words_[i] = (words_[i] & ~(7u << stands_for_shift)) | code << stands_for_shift; }
  void clear(unsigned i) { words_[i] = 0; }

 private:
  static constexpr std::uint32_t time_mask = (1u << time_bits) - 1;
  static constexpr int stands_for_shift = time_bits + 6, fingerprint_shift = stands_for_shift + 3;
  static constexpr int touch_shift = 13;  ///< 8 us; half of 32 bits lasts 4.9 hours

  static std::uint32_t touch_time(std::int64_t now_ns) { return static_cast<std::uint32_t>(now_ns >> touch_shift); }
  unsigned fingerprint_at(unsigned i) const { return words_[i] >> fingerprint_shift << 16 | low_[i]; }
  static unsigned step_of(std::uint32_t word) { return word >> time_bits & 63; }
  /// The longest wait of step j is below 2^(11 + j/2) ns, and below 2^18 units.
  static constexpr int unit_shift(unsigned step) {
    const int octave = 11 + static_cast<int>(step) / 2;
    return octave > time_bits - 1 ? octave - (time_bits - 1) : 0;
  }

  /// The true age is the stored one plus some wraps, and lies within one wait of `since_ns`.
  static std::int64_t age_of(std::uint32_t word, std::int64_t now_ns, std::int64_t since_ns) {
    const int shift = unit_shift(step_of(word));
    const std::int64_t units = ((now_ns >> shift) - static_cast<std::int64_t>(word & time_mask)) & time_mask;
    const std::int64_t wrap = std::int64_t{1} << time_bits;
    const std::int64_t least = since_ns >> shift;  // its units are at most one too many
    const std::int64_t wraps = least <= units + 1 ? 0 : (least - units - 2) / wrap + 1;
    return (units + wraps * wrap) << shift;
  }

  std::array<std::uint32_t, slots> words_;  ///< time (19 bits), step (6), stands_for (3), fingerprint (4); 0 is empty
  std::array<std::uint16_t, slots> low_;    ///< the other 16 bits of the fingerprint
  std::uint32_t touched_;
};
static_assert(sizeof(WaitLine) == 64);

}  // namespace sojourn
