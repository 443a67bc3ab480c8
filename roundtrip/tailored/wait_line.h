#pragma once
// Up to eleven waiting requests in one cache line, with times to the nanosecond while there are
// few.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/time.h"
#include "roundtrip/four_words.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/wait_entry.h"

namespace sojourn {

/// A line has one of two forms, and converts itself.
///
/// *Roomy*: seven requests of eight bytes, and eight bytes for the time of the line's last sweep.
/// A time has 34 bits: nanoseconds for waits of up to 11.6 s, units of at most 2^-33 of the wait
/// beyond.  No request is stored later than `latest_after_ns` after the last sweep, nor earlier
/// than `earliest_before_ns` before it, and a sweep removes expired requests.  So all times of a
/// line are within one wrap of 2^34 units, and each can be reconstructed whenever the line is read.
///
/// *Dense*: an eighth request in a roomy line packs all of them into 44 bits each, so that eleven
/// fit.  A time has 10 bits and 4 for its unit, which grows with the age: a delay is at least the
/// current age of its request, so a unit of 1/128 of the age is precise enough for any possible
/// delay.  Whenever a request is stored, the others are rewritten in the units of their age.
/// Rounding errors do not add up, because a larger unit only drops low bits of the same time.  Ages
/// are right within 0.4 %, or 256 ns; twice that if the line was roomy again in between.
///
/// No request is lost by a conversion, so which pairs are seen is independent of it.
///
/// Expired requests stay until their slot is needed.  Readers of an entry call is_over().
class WaitLine {
 public:
  static constexpr unsigned slots = 11;  ///< in dense form
  static constexpr unsigned roomy_slots = 7;

  /// 18 bits.  Never 0, so that no empty slot has it.
  static unsigned fingerprint_of(std::uint64_t key) {
    const unsigned bits = KeyParts::fingerprint(key) & fingerprint_mask;
    return bits + (bits == 0);
  }

  /// A closed line accepts no request.  The table closes and opens it, and counts
  /// (tailored_table.h).
  bool is_closed() const { return (last() & closed_bit) != 0; }
  void close() { last() |= closed_bit; }
  void open() { last() &= ~closed_bit; }
  bool is_dense() const { return (last() & dense_bit) != 0; }

  /// Must be called first at a new time.
  void look(std::int64_t now_ns) {
    if (is_dense()) [[unlikely]] {
      const std::int64_t since = units_since_sweep(now_ns);
      if (since < -earliest_before_units || since > longest_units) [[unlikely]]
        start_again(now_ns);
      return;
    }
    const std::uint64_t since = unsigned_of(now_ns) - unsigned_of(swept_ns()) + earliest_before_ns;
    if (since > earliest_before_ns + latest_after_ns) [[unlikely]]
      start_again(now_ns);
  }

  /// One bit for each slot with this fingerprint, expired or not.
  unsigned holders(unsigned fingerprint) const {
    if (!is_dense()) [[likely]]
      return compared(fingerprint_mask, fingerprint);
    unsigned bits = 0;
    for (unsigned i = 0; i < slots; ++i)
      bits |= unsigned{(packed(i) & fingerprint_mask) == fingerprint} << i;
    return bits;
  }

  WaitEntry at(unsigned i, std::int64_t now_ns) const {
    if (!is_dense()) [[likely]]
      return entry_of(word(i), roomy_age_of(word(i), now_ns));
    const std::int64_t reference = reference_ns(now_ns);
    const std::int64_t age_ns = now_ns - dense_time_of(packed(i), reference);
    // Rounding alone makes no entry older than now; only a clock that stepped back does.
    const bool rounded =
        age_ns < 0 && dense_start_of(packed(i) >> dense_time_shift, reference) <= now_ns;
    return entry_of(packed(i), rounded ? 0 : age_ns);
  }

  /// Into a free slot.  There must be one: the line is not full.
  void put(const WaitEntry& entry, std::int64_t now_ns) {
    if (!is_dense()) {
      unsigned empty = compared(~std::uint64_t{0}, 0);
      if (empty == 0) {
        sweep_roomy(now_ns);
        empty = compared(~std::uint64_t{0}, 0);
      }
      if (empty != 0) return put_roomy(first(empty), entry, now_ns);
      make_dense(now_ns);
    } else {
      sweep(now_ns);
      if (!is_dense()) return put_roomy(first(compared(~std::uint64_t{0}, 0)), entry, now_ns);
    }
    unsigned i = 0;
    while (packed(i) != 0) ++i;
    set_packed(i, common_bits(entry) | dense_time(now_ns, reference_ns(now_ns))
                                           << dense_time_shift);
  }

  /// Eleven wait.  Some of them may have expired if there was no sweep at this time.
  bool is_full() const {
    if (!is_dense()) return false;
    for (unsigned i = 0; i < slots; ++i)
      if (packed(i) == 0) return false;
    return true;
  }

  /// Removes expired requests, and returns to exact times if there is room for them.
  void sweep(std::int64_t now_ns) {
    if (!is_dense()) return sweep_roomy(now_ns);
    const std::int64_t before = reference_ns(now_ns);
    if (units_since_sweep(now_ns) > 0) set_swept_units(now_ns);
    const std::int64_t after = reference_ns(now_ns);
    unsigned kept = 0;
    for (unsigned i = 0; i < slots; ++i) {
      const std::uint64_t bits = packed(i);
      if (bits == 0) continue;
      const bool over = now_ns - dense_time_of(bits, before) > WaitSteps::longest_ns(step_of(bits));
      kept += !over;
      set_packed(i,
                 over ? 0
                      : (bits & common_mask) | dense_again(bits >> dense_time_shift, before, after)
                                                   << dense_time_shift);
    }
    if (kept <= tailored_tuning.few_for_a_line) make_roomy(now_ns);
  }

  void set_stands_for(unsigned i, unsigned code) {
    const auto with_code = [code](std::uint64_t bits) {
      return (bits & ~(std::uint64_t{15} << stands_for_shift)) | std::uint64_t{code}
                                                                     << stands_for_shift;
    };
    if (is_dense())
      set_packed(i, with_code(packed(i)));
    else
      word(i) = with_code(word(i));
  }
  /// A request of this line gets another plan: how long it may wait, and the parity of the plan.
  void change_plan(unsigned i, unsigned step, unsigned parity) {
    const auto changed = [=](std::uint64_t bits) {
      constexpr std::uint64_t old = std::uint64_t{63} << step_shift | std::uint64_t{1}
                                                                          << parity_shift;
      return (bits & ~old) | std::uint64_t{step} << step_shift |
             std::uint64_t{parity} << parity_shift;
    };
    if (is_dense())
      set_packed(i, changed(packed(i)));
    else  // the unit of its time depends on the step
      word(i) = roomy_bits(changed(word(i)) & common_mask, roomy_time_of(word(i)));
  }
  void clear(unsigned i) {
    if (is_dense())
      set_packed(i, 0);
    else
      word(i) = 0;
  }

 private:
  // What both forms store of a request: fingerprint (18 bits), step (6), stands_for (4), plan (1),
  // long-lived (1).  The time follows.
  static constexpr unsigned fingerprint_mask = (1u << 18) - 1;
  static constexpr int step_shift = 18, stands_for_shift = 24, parity_shift = 28, time_shift = 30;
  static constexpr std::uint64_t long_bit = std::uint64_t{1} << 29;
  static constexpr std::uint64_t common_mask = (std::uint64_t{1} << time_shift) - 1;
  // The last word of a line: two flags, and the time of the last sweep in 62 bits or (dense) in 26.
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63,
                                 dense_bit = std::uint64_t{1} << 62;

  // Roomy.
  static constexpr int roomy_time_bits = 64 - time_shift;
  static constexpr std::uint64_t roomy_time_mask = (std::uint64_t{1} << roomy_time_bits) - 1;
  static constexpr std::uint64_t latest_after_ns = std::uint64_t{1} << 32,
                                 earliest_before_ns = std::uint64_t{1} << 33;
  // Dense: a time is 10 bits of the time in units of 2^(3 + 2 e) ns, and e in 4 bits.
  static constexpr int entry_bits = 44, dense_time_shift = time_shift;
  static constexpr std::uint64_t entry_mask = (std::uint64_t{1} << entry_bits) - 1;
  static constexpr int residue_bits = 10, first_unit = 3;
  static constexpr std::uint64_t residue_mask = (1u << residue_bits) - 1;
  static constexpr int swept_bits = 26, swept_place = 36;
  static constexpr int swept_unit = 17;  ///< 131 us; wraps after 2.4 hours
  static constexpr std::int64_t earliest_before_units =
      static_cast<std::int64_t>(earliest_before_ns >> swept_unit);
  /// After an hour, all requests have expired.
  static constexpr std::int64_t longest_units =
      WaitSteps::longest_ns(WaitSteps::count - 1) >> swept_unit;

  static std::uint64_t unsigned_of(std::int64_t ns) { return static_cast<std::uint64_t>(ns); }
  static unsigned first(unsigned bits) { return static_cast<unsigned>(std::countr_zero(bits)); }
  std::uint64_t& word(unsigned i) { return words_[i / 4][i % 4]; }
  std::uint64_t word(unsigned i) const { return words_[i / 4][i % 4]; }
  std::uint64_t& last() { return words_[1][3]; }
  std::uint64_t last() const { return words_[1][3]; }

  static unsigned step_of(std::uint64_t bits) {
    return static_cast<unsigned>(bits >> step_shift) & 63;
  }
  static std::uint64_t common_bits(const WaitEntry& entry) {
    return entry.fingerprint | std::uint64_t{entry.step} << step_shift |
           std::uint64_t{entry.stands_for} << stands_for_shift |
           std::uint64_t{entry.plan_parity} << parity_shift | (entry.is_long_lived ? long_bit : 0);
  }
  static WaitEntry entry_of(std::uint64_t bits, std::int64_t age_ns) {
    return {.step = step_of(bits),
            .fingerprint = static_cast<unsigned>(bits) & fingerprint_mask,
            .stands_for = static_cast<unsigned>(bits >> stands_for_shift) & 15,
            .plan_parity = static_cast<unsigned>(bits >> parity_shift) & 1,
            .age_ns = age_ns,
            .is_long_lived = (bits & long_bit) != 0};
  }

  // Roomy.

  std::int64_t swept_ns() const { return static_cast<std::int64_t>(last() << 2); }
  void set_swept_ns(std::int64_t ns) {
    last() =
        (last() & (closed_bit | dense_bit)) | (unsigned_of(ns) >> 2 & ~(closed_bit | dense_bit));
  }
  unsigned compared(std::uint64_t mask, std::uint64_t value) const {
    constexpr unsigned all = (1u << roomy_slots) - 1;
    return (compare(words_[0], mask, value).equal | compare(words_[1], mask, value).equal << 4) &
           all;
  }
  /// Within the octave after which the time wraps, step j waits 2^-1 or 2^-0.5; with
  /// latest_after_ns it stays below the wrap.
  static constexpr int unit_shift(unsigned step) {
    const int octave = 11 + static_cast<int>(step) / 2;
    return octave > roomy_time_bits ? octave - roomy_time_bits : 0;
  }
  void put_roomy(unsigned i, const WaitEntry& entry, std::int64_t now_ns) {
    word(i) = roomy_bits(common_bits(entry), now_ns);
  }
  static std::uint64_t roomy_bits(std::uint64_t common, std::int64_t time_ns) {
    return common | unsigned_of(time_ns >> unit_shift(step_of(common))) << time_shift;
  }
  /// Counted back from the latest possible time.  Negative if the clock has stepped back since.
  std::int64_t roomy_age_of(std::uint64_t kept, std::int64_t now_ns) const {
    return static_cast<std::int64_t>(unsigned_of(now_ns) - unsigned_of(roomy_time_of(kept)));
  }
  std::int64_t roomy_time_of(std::uint64_t kept) const {
    const int shift = unit_shift(step_of(kept));
    const auto latest =
        static_cast<std::int64_t>(unsigned_of(swept_ns()) + latest_after_ns) >> shift;
    const std::uint64_t before = (unsigned_of(latest) - (kept >> time_shift)) & roomy_time_mask;
    return static_cast<std::int64_t>((unsigned_of(latest) - before) << shift);
  }
  void sweep_roomy(std::int64_t now_ns) {
    for (unsigned i = 0; i < roomy_slots; ++i) {
      const std::uint64_t kept = word(i);
      const bool over = roomy_age_of(kept, now_ns) > WaitSteps::longest_ns(step_of(kept));
      word(i) = over ? 0 : kept;
    }
    if (difference_ns(now_ns, swept_ns()) > 0) set_swept_ns(now_ns);
  }

  // Dense.

  std::uint64_t packed(unsigned i) const {
    std::uint64_t bits;
    std::memcpy(&bits, bytes() + place_of(i), sizeof bits);
    return bits >> (i % 2 * 4) & entry_mask;
  }
  void set_packed(unsigned i, std::uint64_t entry) {
    std::uint64_t bits;
    std::memcpy(&bits, bytes() + place_of(i), sizeof bits);
    bits = (bits & ~(entry_mask << (i % 2 * 4))) | entry << (i % 2 * 4);
    std::memcpy(bytes() + place_of(i), &bits, sizeof bits);
  }
  static constexpr unsigned place_of(unsigned i) { return i * entry_bits / 8; }
  const char* bytes() const { return reinterpret_cast<const char*>(this); }
  char* bytes() { return reinterpret_cast<char*>(this); }

  /// In units of 131 us, negative if the clock has stepped back by less than nine seconds.
  std::int64_t units_since_sweep(std::int64_t now_ns) const {
    constexpr std::uint64_t mask = (std::uint64_t{1} << swept_bits) - 1;
    const std::uint64_t since =
        (unsigned_of(now_ns >> swept_unit) - (last() >> swept_place) + earliest_before_units) &
        mask;
    return static_cast<std::int64_t>(since) - earliest_before_units;
  }
  void set_swept_units(std::int64_t now_ns) {
    constexpr std::uint64_t mask = ((std::uint64_t{1} << swept_bits) - 1) << swept_place;
    last() = (last() & ~mask) | (unsigned_of(now_ns >> swept_unit) << swept_place & mask);
  }
  /// A little later than the last sweep, and so than everything in the line.
  std::int64_t reference_ns(std::int64_t now_ns) const {
    return ((now_ns >> swept_unit) - units_since_sweep(now_ns) + 1) << swept_unit;
  }
  /// The unit in which the age at the reference takes at most nine bits.
  static std::uint64_t exponent_for(std::int64_t age_ns) {
    const int bits = 64 - std::countl_zero(unsigned_of(age_ns)) - (residue_bits - 1) - first_unit;
    return bits > 0 ? static_cast<std::uint64_t>(bits + 1) / 2 : 0;
  }
  static std::uint64_t dense_bits(std::int64_t time_ns, std::uint64_t exponent) {
    const auto shift = first_unit + 2 * static_cast<int>(exponent);
    return exponent << residue_bits | (unsigned_of(time_ns >> shift) & residue_mask);
  }
  static std::uint64_t dense_time(std::int64_t time_ns, std::int64_t reference_ns) {
    return dense_bits(time_ns, exponent_for(reference_ns - time_ns));
  }
  /// The latest time before the reference with these low bits, rounded down.
  static std::int64_t dense_start_of(std::uint64_t kept, std::int64_t reference_ns) {
    const auto shift = first_unit + 2 * static_cast<int>(kept >> residue_bits & 15);
    const std::int64_t latest = reference_ns >> shift;
    const std::uint64_t before = (unsigned_of(latest) - kept) & residue_mask;
    return static_cast<std::int64_t>((unsigned_of(latest) - before) << shift);
  }
  /// The same time in the unit of its age at a new reference, or in its own unit if that is
  /// coarser.
  static std::uint64_t dense_again(std::uint64_t kept, std::int64_t before, std::int64_t after) {
    const std::int64_t start_ns = dense_start_of(kept, before);
    const std::uint64_t own = kept >> residue_bits & 15, needed = exponent_for(after - start_ns);
    return dense_bits(start_ns, own > needed ? own : needed);
  }
  /// The middle of the interval that the bits allow.
  static std::int64_t dense_time_of(std::uint64_t entry, std::int64_t reference_ns) {
    const std::uint64_t kept = entry >> dense_time_shift;
    const auto shift = first_unit + 2 * static_cast<int>(kept >> residue_bits & 15);
    return dense_start_of(kept, reference_ns) + (std::int64_t{1} << (shift - 1));
  }

  // Conversion between the two forms.

  void make_dense(std::int64_t now_ns) {
    const WaitLine before = *this;
    words_ = {};
    last() = (before.last() & closed_bit) | dense_bit;
    // Not before any time in the line, even if the clock has stepped back.
    set_swept_units(difference_ns(now_ns, before.swept_ns()) > 0 ? now_ns : before.swept_ns());
    const std::int64_t reference = reference_ns(now_ns);
    for (unsigned i = 0; i < roomy_slots; ++i) {
      const std::uint64_t kept = before.word(i);
      const std::int64_t time_ns = before.roomy_time_of(kept);
      set_packed(i, (kept & common_mask) |
                        dense_time(time_ns < reference ? time_ns : reference - 1, reference)
                            << dense_time_shift);
    }
  }
  void make_roomy(std::int64_t now_ns) {
    const WaitLine before = *this;
    const std::int64_t reference = before.reference_ns(now_ns);
    words_ = {};
    last() = before.last() & closed_bit;
    set_swept_ns(difference_ns(now_ns, reference) > 0 ? now_ns : reference);
    unsigned count = 0;
    for (unsigned i = 0; i < slots; ++i)
      if (const std::uint64_t kept = before.packed(i); kept != 0)
        word(count++) = roomy_bits(kept & common_mask, dense_time_of(kept, reference));
  }
  /// Time advanced, or stepped back by more than nine seconds, or the line was not read for longer
  /// than the longest wait.
  [[gnu::noinline]] void start_again(std::int64_t now_ns) {
    if (!is_dense()) {
      const std::int64_t passed_ns = difference_ns(now_ns, swept_ns());
      if (passed_ns > 0 && passed_ns <= WaitSteps::longest_ns(WaitSteps::count - 1))
        return sweep_roomy(now_ns);
    }
    const std::uint64_t closed = last() & closed_bit;
    words_ = {};
    last() = closed;
    set_swept_ns(now_ns);
  }

  alignas(64) std::array<FourWords, 2> words_;
};
static_assert(sizeof(WaitLine) == 64 && std::endian::native == std::endian::little);

}  // namespace sojourn
