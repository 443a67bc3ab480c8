#pragma once
// Leases cut to the delays of the traffic, eleven slots to a cache line: the most from little memory.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/huge_array.h"
#include "core/time.h"
#include "roundtrip/arrival_rate.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/lease_plan.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"
#include "roundtrip/plan_history.h"
#include "roundtrip/stands_for.h"
#include "roundtrip/wait_line.h"

namespace sojourn {

/// A request with coin u waits while u < pi(age) (lease_plan.h), if its line has a free slot; nothing is
/// overwritten before its wait ends.  A pair is seen if it was let in and its wait covers its delay:
///
///     w = attempts / accepts (just before its request) / pi(delay) (of the plan that its request met)
///
/// The plan is made from the past: from the rate of arrivals, so that the table is offered about twice
/// what it holds, and from the delays seen so far, so that the slots are where they tell most.  A
/// request's own coin has no part in what came before it, so the weights are as fair as with a fixed plan.
///
/// 5.8 bytes a slot (wait_line.h): a delay is rounded by 4 % at most, and by far less unless its request might
/// have waited thousands of times as long; a clock coarser than that is left out, as the weight knows.
/// Fingerprints have 18 bits, so a response that answers nothing is taken for the answer of another in one
/// of 20 000 cases.  So this is a table for little memory; FridgesTable is the one for much.
class TailoredTable {
 public:
  struct Options {
    std::size_t memory_bytes = std::size_t{64} << 10;
    Duration longest = std::chrono::seconds{10};  ///< the longest delay of interest
    Patience patience = {};
  };

  explicit TailoredTable(const Options& options)
      : patience_(options.patience),
        last_step_(std::min(WaitSteps::covering(to_ns(std::min(options.longest, options.patience.expire))),
                            WaitSteps::count - 1)),
        lines_(slots_in(options.memory_bytes, sizeof(WaitLine), 1)),
        tailor_(std::min(options.longest, options.patience.expire)),
        plans_(plan_for(planned_wait_ns_, 0)),
        no_coin_from_(plans_.current().no_coin_from()) {}

  /// Always inlined: g++ takes a function that only prefetches for one without effect, and drops the
  /// calls that it does not inline.
  [[gnu::always_inline]] void prefetch(std::uint64_t key) const {
    if (coin_of(KeyParts::coins(key)) < no_coin_from_) __builtin_prefetch(&lines_[line_of(key)], 1);
  }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    const std::int64_t now_ns = to_ns(time);
    if (++since_tuning_ == tuning_interval) [[unlikely]] tune(now_ns);
    const std::uint64_t coins = KeyParts::coins(key);
    if (coin_of(coins) >= no_coin_from_) return Admission::refused;

    WaitLine& line = lines_[line_of(key)];
    line.look(now_ns);
    unsigned room = WaitLine::slots;
    for (unsigned i = 0; i < WaitLine::slots; ++i) {
      if (line.is_free(i)) {
        room = std::min(room, i);
      } else if (line.may_hold(i, fingerprint_of(key)) && holds(line.at(i, now_ns), coins, now_ns)) [[unlikely]] {
        if (flags & repeat_is_ambiguous) line.set_stands_for(i, StandsFor::ambiguous);
        return Admission::repeated;
      }
    }
    if (!plans_.current().lets_in(coin_of(coins))) return Admission::refused;
    const bool accepted = room < WaitLine::slots;
    if (accepted) {
      const unsigned step = plans_.current().step_of(coin_of(coins));
      has_long_lived_ |= (flags & long_lived) != 0;
      const unsigned code = stands_for_.draw(static_cast<std::uint32_t>(coins));
      line.put(room, {(flags & long_lived) ? step : std::min(step, last_step_), fingerprint_of(key), code, 0}, now_ns);
    } else {
      ++refused_;
    }
    stands_for_.add(accepted);
    return accepted ? Admission::stored : Admission::refused;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    const std::uint64_t coins = KeyParts::coins(key);
    if (coin_of(coins) >= no_coin_from_) return std::nullopt;
    const std::int64_t now_ns = to_ns(time);
    WaitLine& line = lines_[line_of(key)];
    line.look(now_ns);
    for (unsigned i = 0; i < WaitLine::slots; ++i) {
      if (!line.may_hold(i, fingerprint_of(key))) continue;
      const WaitEntry entry = line.at(i, now_ns);
      if (!holds(entry, coins, now_ns)) continue;
      line.clear(i);
      return weigh(entry, now_ns);
    }
    return std::nullopt;
  }

  std::size_t memory_bytes() const { return lines_.memory_bytes(); }
  std::size_t slot_count() const { return lines_.size() * WaitLine::slots; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t too_old() const { return too_old_; }  ///< the plan of their time was forgotten
  double entry_probability() const { return plans_.current().chance(1); }

 private:
  static constexpr std::uint32_t tuning_interval = 32;
  /// Mean wait times arrivals, by slots.  Answers free slots early and the longest waits fill their share late;
  /// of what is offered in vain, the weights take care.
  static constexpr double offered = 2;
  /// Steps between a delay and a wait whose clock is still fine enough for it: 2^11, rounded by 2^-5.
  static constexpr unsigned fine_steps = 22;

  static std::uint32_t coin_of(std::uint64_t coins) { return static_cast<std::uint32_t>(coins >> 32); }
  static unsigned fingerprint_of(std::uint64_t key) {
    return KeyParts::fingerprint(key) & ((1u << WaitLine::fingerprint_bits) - 1);
  }
  std::size_t line_of(std::uint64_t key) const { return KeyParts::slot(key, lines_.size()); }

  /// The fingerprint agrees; does the wait, too?
  bool holds(const WaitEntry& entry, std::uint64_t coins, std::int64_t now_ns) const {
    const LeasePlan* const plan = plans_.at(now_ns - entry.age_ns);
    if (!plan) return true;
    const unsigned step = plan->step_of(coin_of(coins));
    return entry.step == step || entry.step == std::min(step, last_step_);
  }

  std::optional<Match> weigh(const WaitEntry& entry, std::int64_t now_ns) {
    const LeasePlan* const plan = plans_.at(now_ns - entry.age_ns);
    if (!plan) [[unlikely]] {
      ++too_old_;
      return std::nullopt;
    }
    unsigned step = WaitSteps::covering(std::max<std::int64_t>(entry.age_ns, 1));
    // The last step of all but the long-lived ends with the patience, not at its own end.
    if (entry.age_ns > to_ns(patience_.expire)) {
      if (entry.step <= last_step_ || entry.age_ns > to_ns(patience_.expire_long_lived)) return std::nullopt;
      step = std::max(step, last_step_ + 1);
    }
    double chance = plan->chance(step);
    if (step + fine_steps < last_step_) {
      if (entry.step > step + fine_steps) return std::nullopt;
      chance -= plan->chance(step + fine_steps + 1);
    }
    const bool ambiguous = entry.stands_for == StandsFor::ambiguous;
    const double stands_for = ambiguous ? stands_for_.now() : StandsFor::value(entry.stands_for);
    const double weight = stands_for / chance;
    if (!ambiguous) tailor_.add(entry.age_ns, weight * rate_.shown_after(entry.age_ns, now_ns));
    return Match{Duration{entry.age_ns}, weight, ambiguous};
  }

  void tune(std::int64_t now_ns) {
    since_tuning_ = 0;
    rate_.add(tuning_interval, now_ns);
    const double wait_ns = offered * static_cast<double>(slot_count()) / std::max(rate_.a_nanosecond(), 1e-12);
    const bool knows_more = tailor_.samples() >= learn_at_;
    // The longer we look, the longer the delays that would have been seen.
    const std::int64_t elapsed_ns = rate_.elapsed_ns(now_ns);
    const bool looked_longer = elapsed_ns > planned_after_ns_ + planned_after_ns_ / 3 && planned_after_ns_ < 4 * to_ns(patience_.expire);
    if (!knows_more && !looked_longer && wait_ns < 1.25 * planned_wait_ns_ && wait_ns > planned_wait_ns_ / 1.25) return;
    if (!plans_.may_add(now_ns, to_ns(patience_.expire))) return;
    if (knows_more) {
      learn_at_ = std::max<std::uint64_t>(2 * learn_at_, 32);
      if (learn_at_ > 16'384) {
        tailor_.fade();
        learn_at_ = tailor_.samples() + 16'384;
      }
    }
    planned_wait_ns_ = wait_ns;
    planned_after_ns_ = std::max<std::int64_t>(elapsed_ns, 100'000'000);
    plans_.add(plan_for(wait_ns, elapsed_ns), now_ns);
    // The first few requests were all let in.  Where many more come, they are not worth that every packet
    // is looked up for as long as they may wait.
    if (rate_.calls() == 2 && plans_.current().chance(1) < 0.25) {
      plans_.forget_others();
      for (WaitLine& line : lines_) line = {};
    }
    no_coin_from_ = plans_.no_coin_from(now_ns - to_ns(has_long_lived_ ? patience_.expire_long_lived : patience_.expire));
  }

  LeasePlan plan_for(double wait_ns, std::int64_t elapsed_ns) const {
    auto chances = scaled_to(tailor_.shape(elapsed_ns), wait_ns);
    // Only the long-lived wait beyond the last step.  They are few, so nothing is planned for them.
    for (unsigned j = last_step_ + 1; j < WaitSteps::count; ++j) chances[j] = chances[j - 1] * std::sqrt(std::sqrt(0.5));
    // Not all may wait so long that their clocks are too coarse for a short delay.
    const unsigned coarse_from = tailor_.shortest_step() + fine_steps + 1;
    for (unsigned j = fine_steps + 1; j < WaitSteps::count; ++j) {
      chances[j] = std::min(chances[j], 0.875 * chances[j - fine_steps - 1]);
      if (j >= coarse_from) chances[j] = std::min(chances[j], 0.25 * chances[1]);
    }
    return LeasePlan{chances};
  }

  Patience patience_;
  unsigned last_step_;
  HugeArray<WaitLine> lines_;
  LeaseTailor tailor_;
  double planned_wait_ns_ = 1e18;  ///< of the current plan; at first there is no limit
  PlanHistory plans_;
  std::uint64_t no_coin_from_;
  StandsFor stands_for_;
  ArrivalRate rate_;
  std::uint32_t since_tuning_ = 0;
  bool has_long_lived_ = false;
  std::uint64_t learn_at_ = 64;
  std::int64_t planned_after_ns_ = 0;
  std::uint64_t refused_ = 0;
  std::uint64_t too_old_ = 0;
};
static_assert(PairTable<TailoredTable>);

}  // namespace sojourn
