#pragma once
// Seven waiting requests in one cache line, their times to the nanosecond.

#include <array>
#include <bit>
#include <cstdint>

#include "core/time.h"
#include "roundtrip/four_words.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/wait_entry.h"

namespace sojourn {

/// Eight bytes a request, and eight for when the line was last swept.
///
/// A time is kept in 34 bits: in nanoseconds for waits of up to 11.6 s, in units of at most 2^-33
/// of the wait beyond.  Nothing is put later than `latest_after_ns` after the last sweep, nor
/// earlier than `earliest_before_ns` before it, and a sweep throws out what is over.  So all times
/// of a line lie within one wrap of 2^34 units, and each is known in full whenever the line is
/// looked at.
///
/// What is over stays until its place is needed.  Whoever reads an entry asks is_over().
class WideLine {
 public:
  static constexpr unsigned slots = 7;
  static constexpr unsigned fine_steps = 0;  ///< no clock is too coarse for any delay
  static constexpr bool tells_long_lived = true;
  static constexpr std::int64_t coarsest_ns =
      256;  ///< unit of the longest wait; times are rounded down

  /// 20 bits.  Never 0, so that no empty slot has it.
  static unsigned fingerprint_of(std::uint64_t key) {
    const unsigned bits = KeyParts::fingerprint(key) & fingerprint_mask;
    return bits + (bits == 0);
  }

  /// To be called before anything else at a new time.
  void look(std::int64_t now_ns) {
    const std::uint64_t since = unsigned_of(now_ns) - swept() + earliest_before_ns;
    if (since > earliest_before_ns + latest_after_ns) [[unlikely]]
      start_again(now_ns);
  }

  /// A bit for each slot with this fingerprint, over or not.
  unsigned holders(unsigned fingerprint) const { return compared(fingerprint_mask, fingerprint); }
  /// A free slot, or `slots` if all of them wait.
  unsigned room(std::int64_t now_ns) {
    unsigned empty = compared(~std::uint64_t{0}, 0);
    if (empty == 0) {
      sweep(now_ns);
      empty = compared(~std::uint64_t{0}, 0);
    }
    return empty == 0 ? slots : static_cast<unsigned>(std::countr_zero(empty));
  }

  WaitEntry at(unsigned i, std::int64_t now_ns) const {
    const std::uint64_t kept = word(i);
    return {.step = step_of(kept),
            .fingerprint = static_cast<unsigned>(kept) & fingerprint_mask,
            .stands_for = static_cast<unsigned>(kept >> stands_for_shift) & 7,
            .age_ns = age_of(kept, now_ns),
            .is_long_lived = (kept & long_bit) != 0};
  }
  void put(unsigned i, const WaitEntry& entry, std::int64_t now_ns) {
    word(i) = unsigned_of(now_ns >> unit_shift(entry.step)) << time_shift |
              std::uint64_t{entry.step} << step_shift |
              std::uint64_t{entry.stands_for} << stands_for_shift |
              (entry.is_long_lived ? long_bit : 0) | entry.fingerprint;
  }
  void set_stands_for(unsigned i, unsigned code) {
    word(i) = (word(i) & ~(std::uint64_t{7} << stands_for_shift)) | std::uint64_t{code}
                                                                        << stands_for_shift;
  }
  void clear(unsigned i) { word(i) = 0; }

 private:
  static constexpr int stands_for_shift = 21, step_shift = 24, time_shift = 30,
                       time_bits = 64 - time_shift;
  static constexpr unsigned fingerprint_mask = (1u << 20) - 1;
  static constexpr std::uint64_t long_bit = std::uint64_t{1} << 20;
  static constexpr std::uint64_t time_mask = (std::uint64_t{1} << time_bits) - 1;
  static constexpr std::uint64_t latest_after_ns = std::uint64_t{1} << 32,
                                 earliest_before_ns = std::uint64_t{1} << 33;

  static std::uint64_t unsigned_of(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }
  std::uint64_t& word(unsigned i) { return words_[i / 4][i % 4]; }
  std::uint64_t word(unsigned i) const { return words_[i / 4][i % 4]; }
  std::uint64_t& swept() { return words_[1][3]; }
  std::uint64_t swept() const { return words_[1][3]; }

  static unsigned step_of(std::uint64_t kept) {
    return static_cast<unsigned>(kept >> step_shift) & 63;
  }
  /// Of the octave after which the time wraps, step j waits 2^-1 or 2^-0.5; with latest_after_ns it
  /// stays below the wrap.
  static constexpr int unit_shift(unsigned step) {
    const int octave = 11 + static_cast<int>(step) / 2;
    return octave > time_bits ? octave - time_bits : 0;
  }
  unsigned compared(std::uint64_t mask, std::uint64_t value) const {
    constexpr unsigned all = (1u << slots) - 1;
    return (compare(words_[0], mask, value).equal | compare(words_[1], mask, value).equal << 4) &
           all;
  }

  /// Counted back from the latest time that there can be.  Negative if the clock has stepped back
  /// since.
  std::int64_t age_of(std::uint64_t kept, std::int64_t now_ns) const {
    const int shift = unit_shift(step_of(kept));
    const auto latest = static_cast<std::int64_t>(swept() + latest_after_ns) >> shift;
    const std::uint64_t before = (unsigned_of(latest) - (kept >> time_shift)) & time_mask;
    return static_cast<std::int64_t>(unsigned_of(now_ns) -
                                     ((unsigned_of(latest) - before) << shift));
  }

  void sweep(std::int64_t now_ns) {
    for (unsigned i = 0; i < slots; ++i) {
      const std::uint64_t kept = word(i);
      const bool over = age_of(kept, now_ns) > WaitSteps::longest_ns(step_of(kept));
      word(i) = over ? 0 : kept;
    }
    if (difference_ns(now_ns, static_cast<std::int64_t>(swept())) > 0)
      swept() = unsigned_of(now_ns);
  }
  /// Time went on, or stepped back by more than nine seconds, or nobody has looked for longer than
  /// anybody waits.
  [[gnu::noinline]] void start_again(std::int64_t now_ns) {
    const std::int64_t passed_ns = difference_ns(now_ns, static_cast<std::int64_t>(swept()));
    if (passed_ns > 0 && passed_ns <= WaitSteps::longest_ns(WaitSteps::count - 1))
      return sweep(now_ns);
    words_ = {};
    swept() = unsigned_of(now_ns);
  }

  /// Seven of fingerprint (20 bits), long-lived (1), stands_for (3), step (6), time (34), 0 if
  /// empty; and the time of the last sweep in nanoseconds.
  alignas(64) std::array<FourWords, 2> words_;
};
static_assert(sizeof(WideLine) == 64);

}  // namespace sojourn
