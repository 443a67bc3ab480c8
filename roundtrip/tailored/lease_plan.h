#pragma once
// How long requests may wait: a plan made from the delays seen so far.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/time.h"
#include "roundtrip/tailored/tuning.h"

namespace sojourn {

/// Waiting times come in steps of half an octave: step j lasts up to 2^(10 + j/2) ns, from 1.4 us
/// to almost an hour.  Step 0 does not wait at all.
struct WaitSteps {
  static constexpr unsigned count = 64;
  static constexpr std::int64_t longest_ns(unsigned step) { return lengths[step]; }
  /// The first step that covers the delay; `count` if none does.
  static constexpr unsigned covering(std::int64_t delay_ns) {
    if (delay_ns <= lengths[1]) return 1;
    // The first even step, whose length is a power of two, unless the odd one before it suffices.
    const auto even =
        2 * (static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(delay_ns - 1))) - 10);
    return even > count ? count : even - (delay_ns <= lengths[even - 1]);
  }

 private:
  static constexpr auto lengths = [] {
    std::array<std::int64_t, count> all{};
    constexpr std::int64_t root_of_two = 0x16a09e667f3bcc;  // times 2^52
    for (unsigned j = 1; j < count; ++j)
      all[j] = j % 2 == 0 ? std::int64_t{1} << (10 + j / 2) : root_of_two >> (42 - j / 2);
    return all;
  }();
};

/// pi[j]: the probability that a request waits at least for step j.  It decreases with j.  A
/// request has a coin u in [0, 2^32) and waits for the last step with u < 2^32 pi[j].
class LeasePlan {
 public:
  /// No request waits.
  LeasePlan() = default;
  explicit LeasePlan(const std::array<double, WaitSteps::count>& chances);

  unsigned step_of(std::uint32_t coin) const {
    unsigned step = 0;  // the last j with coin < below_[j], by bisection: 64 = 2^6
    for (unsigned half = WaitSteps::count / 2; half > 0; half /= 2)
      if (coin < below_[step + half]) step += half;
    return step;
  }
  /// step_of, but `last` at most.
  unsigned step_of(std::uint32_t coin, unsigned last) const {
    return coin < below_[last] ? last : step_of(coin);  // if all fit, all have the last one
  }
  /// Whether that is its step, or `last` if it is longer.
  bool gives(std::uint32_t coin, unsigned step, unsigned last) const {
    return coin < below_[step] &&
           (step == last || step + 1 == WaitSteps::count || coin >= below_[step + 1]);
  }
  bool lets_in(std::uint32_t coin) const { return coin < below_[1]; }
  std::uint64_t no_coin_from() const { return below_[1]; }
  /// The probability of step j as it is drawn: a whole number of coins.
  double chance(unsigned step) const { return static_cast<double>(below_[step]) * 0x1p-32; }

 private:
  std::array<std::uint64_t, WaitSteps::count> below_{};
};

/// Learns the distribution of delays, and proposes the next plan.
///
/// The error of quantile q is (error of F) / (density of F there).  With pair i seen with chance
/// pi(d_i),
///
///     Var F(t_q) ~ sum_i ((d_i <= t_q) - q)^2 / pi(d_i)
///
/// and a plan costs the slot-seconds  integral of pi(t) dt, since most requests are never answered.
/// The least sum of variances for a given memory has (Neyman 1934, optimal allocation)
///
///     pi(t) ~ sqrt( f(t) sum_q weight_q ((t <= t_q) - q)^2 / f_q^2 )
///
/// for q = 5 %, 10 % ... 95 %, and 99 %, where f is the density of delays in time, f_q that on the
/// scale of the steps.  Delays longer than any seen are possible: a small share of the memory is
/// reserved for them, and their weight compensates for it.
class LeaseTailor {
 public:
  explicit LeaseTailor(Duration longest, const LeaseCaution& caution = tailored_tuning.packets);

  void add(std::int64_t delay_ns, double weight) {
    add_in_step(WaitSteps::covering(delay_ns), weight);
  }
  void add_in_step(unsigned covering, double weight) {
    const unsigned step = covering < WaitSteps::count ? covering : WaitSteps::count - 1;
    seen_[step] += weight;
    counts_[step] += 1;
    total_ += weight;
    ++samples_;
    fresh_samples_ += 1;
  }
  void add_requests(double count) { requests_ += count; }
  std::uint64_t samples() const { return samples_; }
  /// Halves what was learned, so that new samples count more.
  void fade();

  /// The shape of pi, 1 for the shortest delays, after that much time.  Falls to 0 beyond the
  /// longest wait.
  std::array<double, WaitSteps::count> shape(std::int64_t elapsed_ns) const;
  /// The share of requests whose response, if any, takes longer than the steps before j.
  std::array<double, WaitSteps::count> unanswered() const;
  /// The first step by which 1 % of the delays are covered.
  unsigned shortest_step() const;

 private:
  unsigned longest_step() const;
  std::array<double, WaitSteps::count> shares(unsigned longest) const;
  void tailor_to_seen(std::array<double, WaitSteps::count>& shape, unsigned tried,
                      unsigned longest) const;

  LeaseCaution caution_;
  std::array<double, WaitSteps::count> seen_{};    ///< weights
  std::array<double, WaitSteps::count> counts_{};  ///< samples, without those that were forgotten
  double total_ = 0;
  double requests_ = 0;
  std::uint64_t samples_ = 0;
  double fresh_samples_ = 0;  ///< without those that were forgotten
  unsigned last_step_;
};

}  // namespace sojourn
