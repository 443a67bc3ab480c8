#include "experiments/roundtrip/joined_runs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lab/random.h"

namespace sojourn {
namespace {

constexpr std::size_t choices = 64;

double delay_ns_at(double step) {
  return std::exp2(ShareCurve::first_octave + step / ShareCurve::steps_an_octave);
}

/// Where the curve reaches the truth's quantiles.
std::vector<double> quantiles_of(std::span<const double> curve, std::span<const double> qs) {
  std::vector<double> delays_ns;
  std::size_t step = 0;
  for (const double q : qs) {
    while (step + 1 < curve.size() && curve[step] < q) ++step;
    const double before = step > 0 ? curve[step - 1] : 0, inside = curve[step] - before;
    delays_ns.push_back(
        delay_ns_at(static_cast<double>(step) +
                    (inside > 0 ? std::clamp((q - before) / inside, 0.0, 1.0) : 1)));
  }
  return delays_ns;
}

}  // namespace

ShareCurve::ShareCurve(std::span<const FridgeSample> samples) {
  if (samples.empty()) return;
  std::vector<double> weights(steps);
  double total = 0;
  for (const FridgeSample& sample : samples) {
    const double step =
        (std::log2(static_cast<double>(std::max<std::int64_t>(sample.delay_ns, 1))) -
         first_octave) *
        steps_an_octave;
    weights[static_cast<std::size_t>(std::clamp(step, 0.0, static_cast<double>(steps - 1)))] +=
        sample.weight;
    total += sample.weight;
  }
  double sum = 0;
  for (const double weight : weights)
    shares_.push_back(static_cast<float>((sum += weight) / total));
}

TrialErrors joined_errors(const TrialTruth& truth, std::span<const ShareCurve> curves,
                          std::size_t size) {
  std::vector<std::size_t> order(curves.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  size = std::min(size, order.size());
  const std::size_t rounds = size == order.size() ? 1 : choices;
  Random random{1};  // the same choices for every table
  TrialErrors squares;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::vector<double> mean(ShareCurve::steps);
    std::size_t joined = 0;
    for (std::size_t i = 0; i < size; ++i) {
      std::swap(order[i], order[i + random.below(order.size() - i)]);
      const ShareCurve& curve = curves[order[i]];
      if (curve.empty()) continue;
      ++joined;
      for (std::size_t step = 0; step < mean.size(); ++step)
        mean[step] += static_cast<double>(curve.shares()[step]);
    }
    for (double& share : mean) share /= static_cast<double>(std::max<std::size_t>(joined, 1));
    const TrialErrors one =
        joined == 0 ? truth.judge({})
                    : truth.judge_quantiles(quantiles_of(mean, truth.quantiles_asked()));
    for (double TrialErrors::* const figure :
         {&TrialErrors::p50, &TrialErrors::p95, &TrialErrors::p99, &TrialErrors::worst})
      squares.*figure += one.*figure * (one.*figure) / static_cast<double>(rounds);
    squares.signed_p50 += one.signed_p50 / static_cast<double>(rounds);
  }
  for (double TrialErrors::* const figure :
       {&TrialErrors::p50, &TrialErrors::p95, &TrialErrors::p99, &TrialErrors::worst})
    squares.*figure = std::sqrt(squares.*figure);
  return squares;
}

}  // namespace sojourn
