#pragma once
// Leases fitted to the delays of the traffic: the best accuracy for a given memory.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/huge_array.h"
#include "core/kind.h"
#include "core/prefetch.h"
#include "core/time.h"
#include "roundtrip/key_parts.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/pair_table.h"
#include "roundtrip/patience.h"
#include "roundtrip/tailored/lease_plan.h"
#include "roundtrip/tailored/lease_planner.h"
#include "roundtrip/tailored/stands_for.h"
#include "roundtrip/tailored/tuning.h"
#include "roundtrip/tailored/wait_line.h"

namespace sojourn {

/// A request with coin u waits while u < pi(age) (lease_plan.h), if its line is open; nothing is
/// overwritten before its wait ends.  A pair is seen if its request was admitted and its wait
/// covers its delay:
///
///     w = lines / open lines (just before its request) / pi(delay) (of the plan its request met)
///
/// A line closes when it is full.  It opens again when a response frees a slot, or at the first
/// visit after a wait has ended; the request that finds it closed is refused even then.  So the
/// number of open lines is always known, and the probability of finding one is exact, however few
/// lines there are.  (Recent attempts divided by recent accepts would not be: with 64 lines the
/// probability fluctuates, and the mean of 1/p times the mean of p is 1 % above 1.)  When a burst
/// closes all lines, the next admitted requests also represent those refused.
///
/// The plan is made from the past, from the arrival rate and the delays seen so far, so that slots
/// are used where they help most.  It is independent of the coin of a request under it, so the
/// weights are as unbiased as with a fixed plan.  The first requests are all admitted, before the
/// rate is known.  If the plan then admits few, it applies to those that still wait, too: their
/// coins have not been used yet, so the weight by that plan is right for them as well.
///
/// If all requests fit, all are found, with weight 1 and delays to the nanosecond.  In crowded
/// lines eleven slots share one line and delays are rounded by at most 0.4 % (wait_line.h).
/// Fingerprints have 18 bits: in a full table, a response without a request is matched to another
/// request in one of 20 000 cases.
class TailoredTable {
 public:
  struct Options {
    std::size_t memory_bytes = std::size_t{64} << 10;
    Duration longest = std::chrono::seconds{10};  ///< the longest delay of interest
    Patience patience = {};
  };

  explicit TailoredTable(const Options& options)
      : patience_(options.patience),
        lines_(slots_in(options.memory_bytes, sizeof(WaitLine), 1)),
        planners_(planners_for(options, slot_count())) {
    find_coins(0);
  }

  void prefetch(std::uint64_t key) const {
    if (coin_of(KeyParts::coins(key)) < no_coin_from_) prefetch_to_write(&lines_[line_of(key)]);
  }

  Admission request(std::uint64_t key, Timestamp time, std::uint8_t flags) {
    const std::int64_t now_ns = to_ns(time);
    const bool is_long_lived = (flags & long_lived) != 0;
    if (is_long_lived && !has_long_lived_) [[unlikely]] {
      has_long_lived_ = true;
      find_coins(now_ns);
    }
    LeasePlanner& planner = planners_[is_long_lived];
    if (planner.asked(now_ns)) [[unlikely]]
      follow_plans(now_ns, is_long_lived);
    const std::uint64_t coins = KeyParts::coins(key);
    if (coin_of(coins) >= no_coin_from_)
      return (flags & is_copy) ? Admission::repeated : Admission::by_chance;

    WaitLine& line = lines_[line_of(key)];
    const bool all_closed = closed_lines_ == lines_.size();
    const bool was_closed = visit(line, now_ns);
    if (const auto found = find(line, key, coins, now_ns)) [[unlikely]] {
      if (flags & repeat_is_ambiguous) line.set_stands_for(found->slot, StandsFor::ambiguous);
      return Admission::repeated;
    }
    if (flags & is_copy) return Admission::repeated;
    const LeasePlan& plan = planner.current();
    if (!plan.lets_in(coin_of(coins))) return Admission::by_chance;
    if (was_closed) {
      if (all_closed) closed_out_ += 1 / plan.chance(1);
      return Admission::no_room;
    }
    const unsigned step = plan.step_of(coin_of(coins), planner.last_step());
    line.put({.step = step,
              .fingerprint = WaitLine::fingerprint_of(key),
              .stands_for = StandsFor::draw(stands_for() + take_closed_out(plan),
                                            static_cast<std::uint32_t>(coins)),
              .plan_parity = planner.current_parity(),
              .is_long_lived = is_long_lived},
             now_ns);
    if (line.is_full()) [[unlikely]] {
      line.close();
      ++closed_lines_;
    }
    if (first_count_ < first_.size() && !is_long_lived) [[unlikely]]
      first_[first_count_++] = {key, flags};
    return is_for_a_while(planner, step) ? Admission::stored_for_a_while : Admission::stored;
  }

  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    const std::uint64_t coins = KeyParts::coins(key);
    if (coin_of(coins) >= no_coin_from_) return std::nullopt;
    const std::int64_t now_ns = to_ns(time);
    WaitLine& line = lines_[line_of(key)];
    visit(line, now_ns);
    const auto found = find(line, key, coins, now_ns);
    if (!found) return std::nullopt;
    line.clear(found->slot);
    open_if_closed(line);
    return weigh(*found, now_ns);
  }

  std::size_t memory_bytes() const { return lines_.memory_bytes(); }
  std::size_t slot_count() const { return lines_.size() * WaitLine::slots; }
  std::uint64_t too_old() const { return too_old_; }  ///< the plan of their time was forgotten
  /// Requests of that kind that were `stored`, and are `for_a_while` since the last call.
  bool has_given_up() const { return has_given_up_; }
  std::uint64_t take_given_up(Kind kind) {
    has_given_up_ = false;
    return std::exchange(given_up_[index_of(kind)], 0);
  }
  double entry_probability() const { return planners_[0].current().chance(1); }
  /// The inverse of the probability that the next request finds its line open.
  double stands_for() const {
    const auto lines = static_cast<double>(lines_.size());
    return closed_lines_ == 0 ? 1 : lines / (lines - static_cast<double>(closed_lines_));
  }

 private:
  struct Waiting {
    unsigned slot;
    WaitEntry entry;
    const LeasePlan* plan;  ///< of its request; nullptr if it is forgotten
  };

  /// Packets and connections: the few long-lived requests have their own plans, which last as long
  /// as they do.
  static std::array<LeasePlanner, 2> planners_for(const Options& options, std::size_t slots) {
    const auto planner = [&](Duration longest, Duration expire, bool for_long_lived) {
      const std::size_t share = for_long_lived ? tailored_tuning.share_for_connections : 1;
      return LeasePlanner{{.longest = std::min(longest, expire),
                           .expire = expire,
                           .slots = std::max<std::size_t>(slots / share, 1),
                           .slots_a_line = WaitLine::slots,
                           .lines = slots / WaitLine::slots,
                           .for_long_lived = for_long_lived}};
    };
    const Patience& patience = options.patience;
    return {planner(options.longest, patience.expire, false),
            planner(patience.expire_long_lived, patience.expire_long_lived, true)};
  }

  static std::uint32_t coin_of(std::uint64_t coins) {
    return static_cast<std::uint32_t>(coins >> 32);
  }
  std::size_t line_of(std::uint64_t key) const { return KeyParts::slot(key, lines_.size()); }

  /// Must be called first for a line: whether it was closed.  It may be open from now on.
  bool visit(WaitLine& line, std::int64_t now_ns) {
    line.look(now_ns);
    if (!line.is_closed()) [[likely]]
      return false;
    line.sweep(now_ns);
    if (!line.is_full()) open_if_closed(line);
    return true;
  }
  void open_if_closed(WaitLine& line) {
    if (!line.is_closed()) [[likely]]
      return;
    line.open();
    --closed_lines_;
  }

  /// Whether it may be given up before its timeout.
  static bool is_for_a_while(const LeasePlanner& planner, unsigned step) {
    return step != planner.last_step();
  }

  /// A slot whose fingerprint and wait both match.
  std::optional<Waiting> find(const WaitLine& line, std::uint64_t key, std::uint64_t coins,
                              std::int64_t now_ns) const {
    for (unsigned holders = line.holders(WaitLine::fingerprint_of(key)); holders != 0;
         holders &= holders - 1) {
      const auto slot = static_cast<unsigned>(std::countr_zero(holders));
      const WaitEntry entry = line.at(slot, now_ns);
      if (entry.is_over()) continue;
      const LeasePlanner& planner = planners_[entry.is_long_lived];
      const LeasePlan* const plan = planner.at(now_ns - entry.age_ns, entry.plan_parity);
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
    LeasePlanner& planner = planners_[entry.is_long_lived];
    const std::int64_t age_ns = std::max<std::int64_t>(entry.age_ns, 1);
    // The last step ends with the timeout, not at its own end.
    if (age_ns > to_ns(entry.is_long_lived ? patience_.expire_long_lived : patience_.expire))
      return std::nullopt;
    const unsigned step = WaitSteps::covering(age_ns);
    const bool ambiguous = entry.stands_for == StandsFor::ambiguous;
    const double attempts = ambiguous ? stands_for() : StandsFor::value(entry.stands_for);
    const double weight = attempts / waiting.plan->chance(step);
    if (!ambiguous) planner.answered(age_ns, step, weight, now_ns);
    return Match{.delay = Duration{entry.age_ns},
                 .weight = weight,
                 .ambiguous = ambiguous,
                 .for_a_while = is_for_a_while(planner, entry.step)};
  }

  /// Requests that came while every line was closed had no chance, so no weight of their own
  /// represents them.  The next admitted requests do, each for as many as its slot can store.
  double take_closed_out(const LeasePlan& plan) {
    if (closed_out_ == 0) [[likely]]
      return 0;
    const double wanted = closed_out_ * plan.chance(1);
    const double taken = std::clamp(StandsFor::most_even - stands_for(), 0.0, wanted);
    closed_out_ = taken == wanted ? 0 : closed_out_ - taken / plan.chance(1);
    return taken;
  }

  void follow_plans(std::int64_t now_ns, bool is_long_lived) {
    if (!is_long_lived && planners_[0].first_was_generous()) thin_out_first(now_ns);
    find_coins(now_ns);
  }
  /// Otherwise every packet would need a look-up as long as the first requests may wait.  (They
  /// were once dropped: 64 requests, 0.3 % of the pairs of a capture of 20 000.)
  [[gnu::noinline]] void thin_out_first(std::int64_t now_ns) {
    LeasePlanner& planner = planners_[0];
    planner.forget_others();
    const LeasePlan& plan = planner.current();
    for (const First& one : std::span{first_}.first(first_count_)) {
      WaitLine& line = lines_[line_of(one.key)];
      visit(line, now_ns);
      const std::uint32_t coin = coin_of(KeyParts::coins(one.key));
      const unsigned step = plan.step_of(coin, planner.last_step());
      for (unsigned holders = line.holders(WaitLine::fingerprint_of(one.key)); holders != 0;
           holders &= holders - 1) {
        const auto slot = static_cast<unsigned>(std::countr_zero(holders));
        WaitEntry entry = line.at(slot, now_ns);
        // A key that was answered and came again is twice in the list.
        if (entry.is_long_lived || entry.is_over() || is_for_a_while(planner, entry.step)) continue;
        entry.step = step;
        if (step == 0 || entry.is_over()) {
          line.clear(slot);
          open_if_closed(line);
        } else {
          line.change_plan(slot, step, planner.current_parity());
        }
        if (!is_for_a_while(planner, step) || (one.flags & half_of_span)) continue;
        ++given_up_[index_of(kind_told(one.flags))];
        has_given_up_ = true;
      }
    }
    first_count_ = first_.size();
  }
  void find_coins(std::int64_t now_ns) {
    const std::int64_t expire_ns = to_ns(patience_.expire),
                       long_ns = to_ns(patience_.expire_long_lived);
    no_coin_from_ = std::max(planners_[0].no_coin_from(now_ns - expire_ns),
                             has_long_lived_ ? planners_[1].no_coin_from(now_ns - long_ns) : 0);
  }

  /// A request stored before the rate was known.
  struct First {
    std::uint64_t key;
    std::uint8_t flags;
  };

  Patience patience_;
  HugeArray<WaitLine> lines_;
  std::array<LeasePlanner, 2> planners_;
  std::uint64_t no_coin_from_ = 0;
  std::size_t closed_lines_ = 0;
  double closed_out_ = 0;  ///< requests that no sample represents yet
  bool has_long_lived_ = false;
  bool has_given_up_ = false;
  std::size_t first_count_ = 0;
  std::uint64_t too_old_ = 0;
  std::array<First, LeasePlanner::first_requests> first_{};
  std::array<std::uint64_t, paired_kind_count> given_up_{};
};

static_assert(PairTable<TailoredTable>);

}  // namespace sojourn
