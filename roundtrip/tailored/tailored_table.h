#pragma once
// Leases cut to the delays of the traffic: the most from a given memory.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/huge_array.h"
#include "core/time.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/lease_planner.h"
#include "roundtrip/tailored/stands_for.h"
#include "roundtrip/tailored/wait_line.h"
#include "roundtrip/tailored/wide_line.h"

namespace sojourn {

/// A request with coin u waits while u < pi(age) (lease_plan.h), if its line has a free slot;
/// nothing is overwritten before its wait ends.  A pair is seen if it was let in and its wait
/// covers its delay:
///
///     w = attempts / accepts (just before its request) / pi(delay) (of the plan that its request
///     met)
///
/// The plan is made from the past: from the rate of arrivals, so that the table is offered about
/// twice what it holds, and from the delays seen so far, so that the slots are where they tell
/// most.  A request's own coin has no part in what came before it, so the weights are as fair as
/// with a fixed plan.
///
/// The line decides what a slot is.
///
/// - WaitLine, 5.8 bytes a slot: a delay is rounded by 4 % at most, and by far less unless its
/// request might have waited
///   thousands of times as long; a clock coarser than that is left out, as the weight knows.
///   Fingerprints have 18 bits, so a response that answers nothing is taken for the answer of
///   another in one of 20 000 cases.
/// - WideLine, 9.1 bytes a slot: delays are exact, and fingerprints have 20 bits.  Where all
/// requests fit, all pairs are found.
template <class Line>
class BasicTailoredTable {
 public:
  struct Options {
    std::size_t memory_bytes = std::size_t{64} << 10;
    Duration longest = std::chrono::seconds{10};  ///< the longest delay of interest
    Patience patience = {};
  };

  explicit BasicTailoredTable(const Options& options)
      : patience_(options.patience),
        lines_(slots_in(options.memory_bytes, sizeof(Line), 1)),
        planners_(planners_for(options, slot_count())) {
    find_coins(0);
  }

  /// Always inlined: g++ takes a function that only prefetches for one without effect, and drops
  /// the calls that it does not inline.
  [[gnu::always_inline]] void prefetch(std::uint64_t key) const {
    if (coin_of(KeyParts::coins(key)) < no_coin_from_) __builtin_prefetch(&lines_[line_of(key)], 1);
  }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    const std::int64_t now_ns = to_ns(time);
    const bool is_long_lived = (flags & long_lived) != 0;
    if (is_long_lived && !has_long_lived_) [[unlikely]] {
      has_long_lived_ = true;
      find_coins(now_ns);
    }
    LeasePlanner& planner = planner_of(is_long_lived);
    if (planner.asked(now_ns)) [[unlikely]]
      follow_plans(now_ns);
    const std::uint64_t coins = KeyParts::coins(key);
    if (coin_of(coins) >= no_coin_from_) return Admission::refused;

    Line& line = lines_[line_of(key)];
    line.look(now_ns);
    if (const auto found = find(line, key, coins, now_ns)) [[unlikely]] {
      if (flags & repeat_is_ambiguous) line.set_stands_for(found->slot, StandsFor::ambiguous);
      return Admission::repeated;
    }
    const LeasePlan& plan = planner.current();
    if (!plan.lets_in(coin_of(coins))) return Admission::refused;
    const unsigned room = line.room(now_ns);
    const bool accepted = room < Line::slots;
    if (accepted) {
      line.put(room,
               {.step = plan.step_of(coin_of(coins), longest_step_of(planner, is_long_lived)),
                .fingerprint = Line::fingerprint_of(key),
                .stands_for = stands_for_.draw(static_cast<std::uint32_t>(coins)),
                .is_long_lived = is_long_lived},
               now_ns);
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
    Line& line = lines_[line_of(key)];
    line.look(now_ns);
    const auto found = find(line, key, coins, now_ns);
    if (!found) return std::nullopt;
    line.clear(found->slot);
    return weigh(*found, now_ns);
  }

  std::size_t memory_bytes() const { return lines_.memory_bytes(); }
  std::size_t slot_count() const { return lines_.size() * Line::slots; }
  std::uint64_t refused() const { return refused_; }
  std::uint64_t too_old() const { return too_old_; }  ///< the plan of their time was forgotten
  double entry_probability() const { return planners_[0].current().chance(1); }

 private:
  /// Where the line tells them apart, the few long-lived have plans of their own, which last as
  /// long as they do.
  static constexpr std::size_t planner_count = Line::tells_long_lived ? 2 : 1;
  /// Of the slots, what the plans of the long-lived count on: the others count on all, and few
  /// lives are long.
  static constexpr std::size_t share_for_long_lived = 8;

  struct Waiting {
    unsigned slot;
    WaitEntry entry;
    const LeasePlan* plan;  ///< that its request met; nullptr if it is forgotten
  };

  static std::array<LeasePlanner, planner_count> planners_for(const Options& options,
                                                              std::size_t slots) {
    const auto planner = [&](Duration longest, Duration expire, bool for_long_lived,
                             std::int64_t rounded_ns = 0) {
      const std::size_t share = for_long_lived ? share_for_long_lived : 1;
      return LeasePlanner{{.longest = std::min(longest, expire),
                           .expire = expire,
                           .slots = std::max<std::size_t>(slots / share, 1),
                           .slots_a_line = Line::slots,
                           .for_long_lived = for_long_lived,
                           .rounded_ns = rounded_ns,
                           .fine_steps = Line::fine_steps}};
    };
    const Patience& patience = options.patience;
    if constexpr (Line::tells_long_lived)
      return {planner(options.longest, patience.expire, false),
              planner(patience.expire_long_lived, patience.expire_long_lived, true,
                      Line::coarsest_ns - 1)};
    else
      return {planner(options.longest, patience.expire, false)};
  }

  static std::uint32_t coin_of(std::uint64_t coins) {
    return static_cast<std::uint32_t>(coins >> 32);
  }
  std::size_t line_of(std::uint64_t key) const { return KeyParts::slot(key, lines_.size()); }
  LeasePlanner& planner_of(bool is_long_lived) { return planners_[is_long_lived % planner_count]; }
  const LeasePlanner& planner_of(bool is_long_lived) const {
    return planners_[is_long_lived % planner_count];
  }

  static unsigned longest_step_of(const LeasePlanner& planner, bool is_long_lived) {
    return is_long_lived && !Line::tells_long_lived ? WaitSteps::count - 1 : planner.last_step();
  }

  /// A slot whose fingerprint agrees, and whose wait does, too.
  std::optional<Waiting> find(const Line& line, std::uint64_t key, std::uint64_t coins,
                              std::int64_t now_ns) const {
    for (unsigned holders = line.holders(Line::fingerprint_of(key)); holders != 0;
         holders &= holders - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(holders));
      const WaitEntry entry = line.at(slot, now_ns);
      if (entry.is_over()) continue;
      const LeasePlanner& planner = planner_of(entry.is_long_lived);
      const LeasePlan* const plan = planner.at(now_ns - entry.age_ns);
      if (!plan || plan->gives(coin_of(coins), entry.step, planner.last_step()))
        return Waiting{slot, entry, plan};
    }
    return std::nullopt;
  }

  std::optional<Match> weigh(const Waiting& waiting, std::int64_t now_ns) {
    const WaitEntry& entry = waiting.entry;
    if (!waiting.plan) [[unlikely]] {
      ++too_old_;
      return std::nullopt;
    }
    LeasePlanner& planner = planner_of(entry.is_long_lived);
    const std::int64_t age_ns = std::max<std::int64_t>(entry.age_ns, 1);
    unsigned step = WaitSteps::covering(age_ns);
    // The last step of all but the long-lived ends with the patience, not at its own end.
    if (age_ns > to_ns(patience_.expire)) {
      const bool is_long_lived =
          Line::tells_long_lived ? entry.is_long_lived : entry.step > planner.last_step();
      if (!is_long_lived || age_ns > to_ns(patience_.expire_long_lived)) return std::nullopt;
      if constexpr (!Line::tells_long_lived) step = std::max(step, planner.last_step() + 1);
    }
    if (planner.is_too_coarse(entry.step, step)) return std::nullopt;
    const bool ambiguous = entry.stands_for == StandsFor::ambiguous;
    const double stands_for = ambiguous ? stands_for_.now() : StandsFor::value(entry.stands_for);
    const double weight = stands_for / planner.chance(*waiting.plan, step);
    if (!ambiguous) planner.answered(age_ns, step, weight, now_ns);
    return Match{Duration{entry.age_ns}, weight, ambiguous};
  }

  void follow_plans(std::int64_t now_ns) {
    // The first few requests were all let in.  Where many more come, they are not worth that every
    // packet is looked up for as long as they may wait.
    if (planners_[0].first_was_generous()) {
      planners_[0].forget_others();
      for (Line& line : lines_) line = {};
    }
    find_coins(now_ns);
  }
  void find_coins(std::int64_t now_ns) {
    const std::int64_t expire_ns = to_ns(patience_.expire),
                       long_ns = to_ns(patience_.expire_long_lived);
    if constexpr (Line::tells_long_lived)
      no_coin_from_ = std::max(planners_[0].no_coin_from(now_ns - expire_ns),
                               has_long_lived_ ? planners_[1].no_coin_from(now_ns - long_ns) : 0);
    else
      no_coin_from_ = planners_[0].no_coin_from(now_ns - (has_long_lived_ ? long_ns : expire_ns));
  }

  Patience patience_;
  HugeArray<Line> lines_;
  std::array<LeasePlanner, planner_count> planners_;
  std::uint64_t no_coin_from_ = 0;
  StandsFor stands_for_;
  bool has_long_lived_ = false;
  std::uint64_t refused_ = 0;
  std::uint64_t too_old_ = 0;
};

/// Most slots, rounded delays: for little memory.
using TailoredTable = BasicTailoredTable<WaitLine>;
/// Delays to the nanosecond: from 256 KiB on (table_choice.cpp).
using WideTailoredTable = BasicTailoredTable<WideLine>;
static_assert(PairTable<TailoredTable> && PairTable<WideTailoredTable>);

}  // namespace sojourn
