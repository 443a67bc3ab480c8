#pragma once
// Eleven waiting requests in one cache line.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "roundtrip/key_parts.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/wait_entry.h"

namespace sojourn {

/// Five and a half bytes a request instead of sixteen; an age is right within 2^-16 of its longest
/// wait, or 4 ns.
///
/// A time is kept in 17 bits, in units of 2^-16.5 or 2^-16 of what its entry may wait, and so wraps
/// after 1.4 or two waits.  The line also knows when it was last looked at, when all that was over
/// was thrown out: an entry was then at most its wait old, and that settles which wrap it is.
class WaitLine {
 public:
  static constexpr unsigned slots = 11;
  static constexpr unsigned fingerprint_bits = 18;
  static constexpr int time_bits = 17;
  /// Steps between a delay and a wait whose clock is still fine enough for it: 2^11, rounded by
  /// 2^-5.
  static constexpr unsigned fine_steps = 22;
  static constexpr bool tells_long_lived = false;

  static unsigned fingerprint_of(std::uint64_t key) {
    return KeyParts::fingerprint(key) & ((1u << fingerprint_bits) - 1);
  }

  /// Throws out what is over.  To be called before the entries are looked at.
  void look(std::int64_t now_ns) {
    // Of 28 bits, with their sign: a clock that steps back a little has let no time pass.  Further
    // back is no time at all: the line is new, or nobody has looked for hours.
    const std::int32_t elapsed =
        static_cast<std::int32_t>((touch_time(now_ns) - touched()) << low_half) >> low_half;
    // Both ends are rounded down, so that one unit less has passed for certain.
    const std::int64_t since_ns = elapsed > 1 ? std::int64_t{elapsed - 1} << touch_shift : 0;
    for (unsigned i = 0; i < slots; ++i)
      if (words_[i] &&
          age_of(words_[i], now_ns, since_ns) > WaitSteps::longest_ns(step_of(words_[i])))
        words_[i] = 0;
    if (elapsed < -most_back) words_ = {};
    if (elapsed > 0 || elapsed < -most_back) set_touched(touch_time(now_ns));
  }

  bool is_free(unsigned i) const { return words_[i] == 0; }
  bool may_hold(unsigned i, unsigned fingerprint) const {
    return words_[i] != 0 && fingerprint_at(i) == fingerprint;
  }
  /// A bit for each slot with this fingerprint.
  unsigned holders(unsigned fingerprint) const {
    unsigned bits = 0;
    for (unsigned i = 0; i < slots; ++i) bits |= unsigned{may_hold(i, fingerprint)} << i;
    return bits;
  }
  /// A free slot, or `slots` if all of them wait.
  unsigned room(std::int64_t) const {
    unsigned i = 0;
    while (i < slots && !is_free(i)) ++i;
    return i;
  }
  /// After look() at the same time.
  WaitEntry at(unsigned i, std::int64_t now_ns) const {
    const std::uint32_t word = words_[i];
    return {.step = step_of(word),
            .fingerprint = fingerprint_at(i),
            .stands_for = word >> stands_for_shift & 7,
            .age_ns = age_of(word, now_ns, 0)};
  }
  void put(unsigned i, const WaitEntry& entry, std::int64_t now_ns) {
    words_[i] = (static_cast<std::uint32_t>(now_ns >> unit_shift(entry.step)) & time_mask) |
                entry.step << time_bits | entry.stands_for << stands_for_shift |
                entry.fingerprint >> low_bits << fingerprint_shift;
    set_low(i, entry.fingerprint & low_mask);
  }
  void set_stands_for(unsigned i, unsigned code) {
    words_[i] = (words_[i] & ~(7u << stands_for_shift)) | code << stands_for_shift;
  }
  void clear(unsigned i) { words_[i] = 0; }

 private:
  static constexpr std::uint32_t time_mask = (1u << time_bits) - 1;
  static constexpr int stands_for_shift = time_bits + 6, fingerprint_shift = stands_for_shift + 3;
  static constexpr int low_bits = 12;
  static constexpr std::uint32_t low_mask = (1u << low_bits) - 1;
  static constexpr int low_half = 4;      ///< bits of the last fingerprint in the word of touched()
  static constexpr int touch_shift = 16;  ///< 66 us; half of 28 bits lasts 2.4 hours
  static constexpr std::int32_t most_back = 1 << 20;  ///< a minute

  static std::uint32_t touch_time(std::int64_t now_ns) {
    return static_cast<std::uint32_t>(now_ns >> touch_shift);
  }
  unsigned fingerprint_at(unsigned i) const {
    return words_[i] >> fingerprint_shift << low_bits | low(i);
  }
  static unsigned step_of(std::uint32_t word) { return word >> time_bits & 63; }
  /// The longest wait of step j is 2^-1 or 2^-0.5 times 2^(11 + j/2) ns, after which the time
  /// wraps.  The time of the last look is known within 131 us, so no wrap may come sooner than that
  /// after the longest wait.
  static constexpr int unit_shift(unsigned step) {
    constexpr int least =
        2;  // 4 ns: wraps after 524 us, and the waits that need it end before 371 us
    const int octave = 11 + static_cast<int>(step) / 2;
    return octave - time_bits > least ? octave - time_bits : least;
  }

  /// Twelve bits each, so two share three bytes; the last one shares a byte with touched.
  unsigned low(unsigned i) const {
    std::uint16_t two;
    std::memcpy(&two, &packed_[i * 3 / 2], sizeof two);
    return two >> (i % 2 * 4) & low_mask;
  }
  void set_low(unsigned i, unsigned bits) {
    std::uint16_t two;
    std::memcpy(&two, &packed_[i * 3 / 2], sizeof two);
    two = static_cast<std::uint16_t>((two & ~(low_mask << (i % 2 * 4))) | bits << (i % 2 * 4));
    std::memcpy(&packed_[i * 3 / 2], &two, sizeof two);
  }
  std::uint32_t touched() const {
    std::uint32_t last;
    std::memcpy(&last, &packed_[16], sizeof last);
    return last >> low_half;
  }
  void set_touched(std::uint32_t time) {
    std::uint32_t last;
    std::memcpy(&last, &packed_[16], sizeof last);
    last = time << low_half | (last & ((1u << low_half) - 1));
    std::memcpy(&packed_[16], &last, sizeof last);
  }

  /// The true age is the stored one plus some wraps, and lies within one wait of `since_ns`.
  static std::int64_t age_of(std::uint32_t word, std::int64_t now_ns, std::int64_t since_ns) {
    const int shift = unit_shift(step_of(word));
    const std::int64_t units =
        ((now_ns >> shift) - static_cast<std::int64_t>(word & time_mask)) & time_mask;
    const std::int64_t wrap = std::int64_t{1} << time_bits;
    const std::int64_t least = since_ns >> shift;  // its units are at most one too many
    const std::int64_t wraps = least <= units + 1 ? 0 : (least - units - 2) / wrap + 1;
    return (units + wraps * wrap) << shift;
  }

  std::array<std::uint32_t, slots>
      words_;  ///< time (17 bits), step (6), stands_for (3), fingerprint (6); 0 is empty
  std::array<std::uint8_t, 20>
      packed_;  ///< the other 12 bits of each fingerprint, and 28 of when it was last looked at
};
static_assert(sizeof(WaitLine) == 64 && std::endian::native == std::endian::little);

}  // namespace sojourn
