#include "roundtrip/tailored/lease_plan.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

// The shape and its shortest step have to agree from which sample on the delays are known:
// otherwise a plan for delays that were seen begins where the first guess did.
TEST(LeaseTailor, ShortestStepIsThatOfTheDelaysOnceThereAreEnough) {
  constexpr std::int64_t delay_ns = 50'000'000;
  constexpr unsigned seen_step = WaitSteps::covering(delay_ns);
  LeaseTailor tailor{std::chrono::seconds{10}};
  const unsigned guess = tailor.shortest_step();
  ASSERT_LT(guess, seen_step);
  for (std::uint64_t i = 1; i < tailored_tuning.least_samples; ++i) tailor.add(delay_ns, 1);
  EXPECT_EQ(tailor.shortest_step(), guess);
  tailor.add(delay_ns, 1);
  EXPECT_EQ(tailor.shortest_step(), seen_step);
}

// What n samples have not shown yet has a share of about 1/n: it is never known to be nothing, and
// is expected less with every sample.
TEST(LeaseTailor, WaitsLessForTheUnseenTheMoreSamplesItHas) {
  constexpr std::int64_t delay_ns = 50'000'000, elapsed_ns = 60'000'000'000;
  constexpr unsigned seen_step = WaitSteps::covering(delay_ns);
  LeaseTailor tailor{std::chrono::seconds{10}};
  for (std::uint64_t i = 0; i < tailored_tuning.least_samples; ++i) tailor.add(delay_ns, 1);
  const auto few = tailor.shape(elapsed_ns);
  for (std::uint64_t i = 0; i < 99 * tailored_tuning.least_samples; ++i) tailor.add(delay_ns, 1);
  const auto many = tailor.shape(elapsed_ns);
  for (const unsigned step : {seen_step + 2, seen_step + 3}) {
    EXPECT_GT(many[step], 0) << step;
    EXPECT_LT(many[step], few[step] / 2) << step;
  }
}

}  // namespace
}  // namespace sojourn
