#include "roundtrip/tailored/lease_plan.h"

#include <algorithm>
#include <cmath>

namespace sojourn {
namespace {

/// The target quantiles and their importance.
struct Wanted {
  double q;
  double weight;
};
constexpr auto wanted = [] {
  std::array<Wanted, 20> all{};
  for (std::size_t i = 0; i < 19; ++i) all[i] = {0.05 * static_cast<double>(i + 1), 1};
  all[19] = {0.99, tailored_tuning.weight_of_p99};
  return all;
}();

}  // namespace

LeasePlan::LeasePlan(const std::array<double, WaitSteps::count>& chances) {
  below_[0] = std::uint64_t{1} << 32;
  for (unsigned j = 1; j < WaitSteps::count; ++j) {
    const auto below =
        static_cast<std::uint64_t>(std::llround(std::clamp(chances[j], 0.0, 1.0) * 0x1p32));
    below_[j] = std::min(below, below_[j - 1]);
  }
}

LeaseTailor::LeaseTailor(Duration longest, const LeaseCaution& caution)
    : caution_(caution),
      last_step_(std::min(WaitSteps::covering(to_ns(longest)), WaitSteps::count - 1)) {}

void LeaseTailor::fade() {
  for (double& weight : seen_) weight /= 2;
  for (double& count : counts_) count /= 2;
  total_ /= 2;
  requests_ /= 2;
  fresh_samples_ /= 2;
}

std::array<double, WaitSteps::count> LeaseTailor::unanswered() const {
  std::array<double, WaitSteps::count> share;
  share.fill(1);
  if (samples_ < tailored_tuning.least_samples) return share;
  double left = 1;
  for (unsigned j = 1; j < WaitSteps::count; ++j) {
    left -= seen_[j - 1] / requests_;
    share[j] = std::fmax(left, tailored_tuning.least_unanswered);
  }
  return share;
}

unsigned LeaseTailor::shortest_step() const {
  if (samples_ < tailored_tuning.least_samples)
    return WaitSteps::covering(tailored_tuning.first_shortest_ns);
  double sum = 0;
  unsigned step = 1;
  while (step + 1 < last_step_ && (sum += seen_[step]) < tailored_tuning.share_of_shortest * total_)
    ++step;
  return step;
}

unsigned LeaseTailor::longest_step() const {
  unsigned step = last_step_;
  while (step > 1 && seen_[step] == 0) --step;
  return std::min(step + tailored_tuning.steps_beyond_seen, last_step_);
}

std::array<double, WaitSteps::count> LeaseTailor::shape(std::int64_t elapsed_ns) const {
  std::array<double, WaitSteps::count> shape{};
  shape[0] = 1;
  const bool knows = samples_ >= tailored_tuning.least_samples;
  const unsigned tried = std::min(
      WaitSteps::covering(elapsed_ns - elapsed_ns / tailored_tuning.untried_part), last_step_);
  const unsigned longest =
      !knows ? last_step_
      : tried >= longest_step()
          ? longest_step()
          : std::min(longest_step() + tailored_tuning.steps_beyond_untried, last_step_);
  if (knows) {
    tailor_to_seen(shape, tried, longest);
  } else {
    for (unsigned j = 1; j <= longest; ++j)
      shape[j] = std::fmin(
          1, std::sqrt(caution_.first_guess_ns / static_cast<double>(WaitSteps::longest_ns(j))));
  }
  double wait = 0;
  for (unsigned j = 1; j <= longest; ++j)
    wait += shape[j] * static_cast<double>(WaitSteps::longest_ns(j) - WaitSteps::longest_ns(j - 1));
  for (unsigned j = longest + 1; j <= last_step_; ++j) {
    const double each = caution_.memory_for_unseen * wait / (last_step_ - longest);
    shape[j] = std::fmin(shape[longest], each / static_cast<double>(WaitSteps::longest_ns(j) -
                                                                    WaitSteps::longest_ns(j - 1)));
  }
  return shape;
}

/// Shares of the steps, smoothed with their neighbours, because a step with few samples is
/// uncertain.
///
/// Beyond the 95th percentile a step may have one sample, whose weight is large because few wait
/// that long.  Planned by that alone, a third of the memory waited for it (L2, 2^12 slots).  So
/// there a step with few samples follows the tail as a whole: a Pareto tail falls by the same
/// factor with each step, and the mean number of steps beyond the percentile gives that factor
/// (Hill 1975).
std::array<double, WaitSteps::count> LeaseTailor::shares(unsigned longest) const {
  std::array<double, WaitSteps::count> share{}, count{};
  const auto lent = [](const std::array<double, WaitSteps::count>& of, unsigned j) {
    return of[j - 1] + 2 * of[j] + (j + 1 < WaitSteps::count ? of[j + 1] : 0);
  };
  for (unsigned j = 1; j <= longest; ++j) {
    share[j] = lent(seen_, j) / (4 * total_);
    count[j] = lent(counts_, j);
  }
  unsigned tail = 1;
  for (double sum = share[1]; sum < tailored_tuning.tail_from && tail < longest; sum += share[tail])
    ++tail;
  // Not zero if no samples are beyond: the tail then ends at once.  Next to 5 % it is nothing.
  double mass = 1e-4, excess = 1e-4;
  for (unsigned j = tail + 1; j <= longest; ++j) {
    mass += share[j];
    excess += share[j] * (j - tail);
  }
  const double decay = 1 - mass / excess;
  double expected = mass * (1 - decay);
  for (unsigned j = tail + 1; j <= longest; ++j, expected *= decay) {
    const double own_say = count[j] / (count[j] + tailored_tuning.trusted_count);
    share[j] = std::lerp(expected, share[j], own_say);
  }
  // A share of zero would give a chance of zero; fewer than one pair in a million has no say.
  for (unsigned j = 1; j <= longest; ++j) share[j] = std::fmax(share[j], 1e-6);
  return share;
}

void LeaseTailor::tailor_to_seen(std::array<double, WaitSteps::count>& shape, unsigned tried,
                                 unsigned longest) const {
  std::array<double, WaitSteps::count> share = shares(longest);
  unsigned slow = 1;
  for (double sum = share[1]; sum < tailored_tuning.unseen_from && slow < longest;
       sum += share[slow])
    ++slow;
  double unseen =
      tailored_tuning.unseen_samples / (tailored_tuning.unseen_samples + fresh_samples_);
  for (unsigned j = slow + 1; j <= longest; ++j, unseen *= tailored_tuning.unseen_decay)
    share[j] += unseen;

  for (unsigned j = std::max(tried, 1u) + 1; j <= longest; ++j)
    share[j] = std::fmax(share[j], caution_.untried_decay * share[j - 1]);

  std::array<double, WaitSteps::count> matters{};
  for (const Wanted& one : wanted) {
    unsigned at = 1;
    for (double sum = share[1]; sum < one.q && at < longest; sum += share[at]) ++at;
    // It is squared and divided by: one percentile in a thin step must not outweigh all others.
    const double density = std::fmax(share[at], 1e-3);
    for (unsigned j = 1; j <= longest; ++j) {
      const double distance = (j <= at ? 1 : 0) - one.q;
      matters[j] += one.weight * distance * distance / (density * density);
    }
  }
  // f(t) of a step is its share divided by its length, which grows with t.
  double largest = 0;
  const unsigned first = std::min(shortest_step(), longest);
  for (unsigned j = longest; j >= 1; --j) {
    const double here =
        std::sqrt(share[j] * matters[j] / static_cast<double>(WaitSteps::longest_ns(j)));
    if (j >= first) largest = std::fmax(largest, here);  // and no more for delays shorter than all
    shape[j] = largest;
  }
  for (unsigned j = 1; j <= longest; ++j) shape[j] /= largest;
}

}  // namespace sojourn
