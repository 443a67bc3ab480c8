#pragma once
// Whether a table's estimate is unbiased: the statistical test that the tables share.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "roundtrip/test_stream.h"

namespace sojourn {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int test_seeds = 40;  // |t| > 8 of 39 degrees of freedom in one of five: 5e-9
#else
constexpr int test_seeds = 64;  // |t| > 8 of 63 degrees of freedom in one of five: 2e-10
#endif
/// The probabilities above hold for normal estimates.  Weights are skewed, which makes an unlucky
/// low mean look more certain than it is; therefore the limit is 8 and not 6.
constexpr double largest_t = 8;

/// A table's estimate of the number of pairs with delays up to a true quantile, as shares of the
/// true number of pairs, over many draws of the keys and the same traffic.
struct Bias {
  static constexpr std::array quantiles = {0.25, 0.5, 0.75, 0.95, 1.0};
  static constexpr std::size_t count = quantiles.size();

  std::array<double, count> mean{};     ///< of the estimates; unbiased if equal to the quantile
  std::array<double, count> t_value{};  ///< (mean - truth) / its standard error
  double cdf_at_median = 0;             ///< mean over the seeds of the estimated F(true median)

  double total() const { return mean.back(); }
  double worst_t() const {
    double worst = 0;
    for (const double t : t_value) worst = std::fmax(worst, std::fabs(t));
    return worst;
  }
  bool unbiased() const { return worst_t() < largest_t; }
  std::string text() const {
    std::string line = "F(median) " + std::to_string(cdf_at_median);
    for (std::size_t i = 0; i < count; ++i)
      line += "; up to q " + std::to_string(quantiles[i]).substr(0, 4) + ": " +
              std::to_string(mean[i]) + ", t " + std::to_string(t_value[i]);
    return line;
  }
};

/// Replays the stream once per seed.  run(seed, take) feeds a fresh table and calls take(match).
inline Bias measure_bias(
    const Stream& stream,
    const std::function<void(std::uint64_t, std::function<void(const Match&)>)>& run) {
  constexpr std::size_t n = Bias::count;
  std::array<std::int64_t, n> limits;
  std::array<double, n> truth{}, sum{}, squares{};
  const auto pairs = static_cast<double>(stream.delays_ns.size());
  for (std::size_t i = 0; i < n; ++i) {
    limits[i] = stream.quantile(Bias::quantiles[i]);
    truth[i] = static_cast<double>(std::ranges::upper_bound(stream.delays_ns, limits[i]) -
                                   stream.delays_ns.begin()) /
               pairs;
  }
  Bias bias;
  for (int seed = 0; seed < test_seeds; ++seed) {
    std::array<double, n> found{};
    run(static_cast<std::uint64_t>(seed), [&](const Match& match) {
      for (std::size_t i = 0; i < n; ++i)
        if (match.delay.count() <= limits[i]) found[i] += match.weight / pairs;
    });
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += found[i] - truth[i];
      squares[i] += (found[i] - truth[i]) * (found[i] - truth[i]);
    }
    bias.cdf_at_median += found[1] / found[n - 1] / test_seeds;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double mean = sum[i] / test_seeds;
    const double variance = (squares[i] - test_seeds * mean * mean) / (test_seeds - 1);
    bias.mean[i] = truth[i] + mean;
    // A table that loses nothing has no variance: rounding must not look like a bias.
    bias.t_value[i] = mean / std::fmax(std::sqrt(std::fmax(variance, 0) / test_seeds), 1e-7);
  }
  return bias;
}

/// For the tables that make() returns.
template <class Make>
Bias bias_of(const Stream& stream, Make make) {
  return measure_bias(stream,
                      [&](std::uint64_t seed, const std::function<void(const Match&)>& take) {
                        auto table = make();
                        replay(stream, table, seed, take);
                      });
}

}  // namespace sojourn
