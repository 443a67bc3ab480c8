#include "oneway/rli/reference_generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Reference packets sent while `count` packets of 1000 bytes pass, one every `gap`.
std::vector<Duration> injected(ReferenceGenerator& generator, int count, Duration gap) {
  std::vector<Duration> times;
  for (int i = 0; i < count; ++i) {
    const Duration now = i * gap;
    while (generator.timer() && *generator.timer() <= test_time(now)) {
      times.push_back(*generator.timer() - test_time(0s));
      generator.injected(*generator.timer());
    }
    if (generator.passes(test_time(now), 1000)) {
      times.push_back(now);
      generator.injected(test_time(now));
    }
  }
  return times;
}

TEST(ReferenceGenerator, OneInN) {
  ReferenceGenerator generator{{.scheme = Injection::every_n, .packets = 300}};
  EXPECT_FALSE(generator.timer());
  const auto times = injected(generator, 1000, 1us);
  EXPECT_EQ(times, (std::vector<Duration>{299us, 599us, 899us}));
}

TEST(ReferenceGenerator, EveryTau) {
  ReferenceGenerator generator{{.scheme = Injection::every_tau, .interval = 100us}};
  EXPECT_EQ(injected(generator, 36, 10us), (std::vector<Duration>{100us, 200us, 300us}));
}

TEST(ReferenceGenerator, WhicheverComesFirst) {
  ReferenceGenerator busy{{.scheme = Injection::either, .packets = 10, .interval = 100us}};
  EXPECT_EQ(injected(busy, 25, 1us), (std::vector<Duration>{9us, 19us}));
  ReferenceGenerator quiet{{.scheme = Injection::either, .packets = 10, .interval = 100us}};
  EXPECT_EQ(injected(quiet, 8, 30us), (std::vector<Duration>{100us, 200us}));
}

/// Algorithm 1 at the ends of its range and between: 1000 bytes every 1 us are 1e9 bytes a second.
TEST(ReferenceGenerator, AdaptsToTheLoad) {
  const auto rate_at = [](double utilisation) {
    ReferenceGenerator generator{{.capacity_bytes_a_second = 1e9 / utilisation}};
    const auto times = injected(generator, 60'000, 1us);
    EXPECT_NEAR(generator.utilisation(), utilisation, 0.02 * utilisation);
    return std::pair{generator.rate(), static_cast<double>(times.size()) / 60'000};
  };
  EXPECT_DOUBLE_EQ(rate_at(0.2).first, 0.1);
  EXPECT_NEAR(rate_at(0.2).second, 0.1, 1e-4);
  EXPECT_DOUBLE_EQ(rate_at(0.95).first, 1.0 / 300);
  const double middle =
      std::sqrt(1 - 0.25) * (0.1 - 1.0 / 300) + 1.0 / 300;  // halfway from 0.6 to 0.85
  EXPECT_NEAR(rate_at(0.725).first, middle, 0.005);
}

}  // namespace
}  // namespace sojourn
