// Where all requests fit, the quantiles are those of all pairs.
//
// The traffic is light: the requests that wait, each for up to ten seconds, take a tenth of the
// slots of `staged`.  Tables below 256 KiB once left out half of such pairs, and p95 was off by
// 0.076 octaves where staged had 0.012; with all requests answered p99 0.055 and 0.002.
//
// What is left is the start, while the delays are not known yet.  Over 100 draws of keys and
// traffic all pairs were found if one request in ten is not answered, 99.7 % if all are; then p95
// was off by 0.009 octaves at most on average, and p99 by 0.014, with standard deviations of 0.009
// and 0.016.
//
// False alarms: the bounds are 3.5 standard errors of eight draws and more from those, 2e-4 for
// each of 8 cases and figures; the seeds are fixed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "roundtrip/tables/staged_table.h"
#include "roundtrip/tailored/tailored_table.h"
#include "roundtrip/test_stream.h"

namespace sojourn {
namespace {

/// |log2(estimated / true)| of the 95th and the 99th percentile, and the share of pairs found.
struct Errors {
  double p95 = 0, p99 = 0, found = 0;

  bool good() const { return found > 0.995 && p95 < 0.02 && p99 < 0.035; }
  std::string text() const {
    return "found " + std::to_string(found) + ", p95 off by " + std::to_string(p95) + ", p99 by " +
           std::to_string(p99);
  }
};

double quantile(std::vector<std::pair<std::int64_t, double>>& samples, double q) {
  std::ranges::sort(samples);
  double all = 0, sum = 0;
  for (const auto& [delay, weight] : samples) all += weight;
  for (const auto& [delay, weight] : samples)
    if ((sum += weight) >= q * all) return static_cast<double>(delay);
  return 0;
}

/// The mean over some draws of the keys.  The twin leaves every second pair out that took longer
/// than 50 ms.
template <class Make>
Errors errors_of(const Stream& stream, Make make, bool is_twin = false) {
  constexpr int draws = 8;
  std::vector<std::pair<std::int64_t, double>> all;
  for (const std::int64_t delay : stream.delays_ns) all.emplace_back(delay, 1);
  Errors mean;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    std::vector<std::pair<std::int64_t, double>> found;
    auto table = make();
    replay(stream, table, seed, [&](const Match& match) {
      if (!is_twin || match.delay.count() < 50'000'000 || match.delay.count() % 2 == 0)
        found.emplace_back(match.delay.count(), match.weight);
    });
    const auto off = [&](double q) {
      return std::fabs(std::log2(quantile(found, q) / quantile(all, q)));
    };
    mean.p95 += off(0.95) / draws;
    mean.p99 += off(0.99) / draws;
    mean.found += static_cast<double>(found.size()) / static_cast<double>(all.size()) / draws;
  }
  return mean;
}

struct LightLoad {
  std::size_t memory_bytes;
  double answered;
};
void PrintTo(const LightLoad& load, std::ostream* out) {
  *out << load.memory_bytes << " bytes, " << 100 * load.answered << " % answered";
}

class AtLightLoad : public testing::TestWithParam<LightLoad> {};
INSTANTIATE_TEST_SUITE_P(Sizes, AtLightLoad,
                         testing::Values(LightLoad{3072, 0.5}, LightLoad{3072, 1},
                                         LightLoad{16'384, 0.5}, LightLoad{16'384, 1},
                                         LightLoad{65'536, 0.5}, LightLoad{65'536, 1},
                                         LightLoad{262'144, 0.5}, LightLoad{262'144, 1}));

TEST_P(AtLightLoad, TailoredIsAsGoodAsStaged) {
  const std::size_t bytes = GetParam().memory_bytes;
  const double answered = GetParam().answered;
  // Unanswered requests wait ten seconds, answered ones 60 ms on average.
  const double rate = 0.1 * static_cast<double>(bytes) / 16 / (10 * (1 - answered) + 0.06);
  const Stream stream =
      simulate({.requests = 5000, .rate = rate, .answered = answered}, 20'261'118);
  const auto tailored = [&] { return TailoredTable{{.memory_bytes = bytes}}; };
  const Errors staged = errors_of(stream, [&] { return StagedTable{{.memory_bytes = bytes}}; });
  const Errors ours = errors_of(stream, tailored), twin = errors_of(stream, tailored, true);
  EXPECT_TRUE(staged.good()) << "not a light load: " << staged.text();
  EXPECT_TRUE(ours.good()) << ours.text();
  EXPECT_FALSE(twin.good()) << twin.text();
}

}  // namespace
}  // namespace sojourn
