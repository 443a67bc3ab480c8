// Which share of the requests enters, and which responses are looked up.
#include "pipeline/kernel_plan.h"

#include <gtest/gtest.h>

#include "dataplane/test_datagram.h"
#include "dataplane/test_user_program.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using test::Datagram;

constexpr std::uint64_t everyone = std::uint64_t{1} << 32;

dp_config config_of(unsigned fridges) {
  DataplaneOptions options;
  options.table_bytes = 3 * 4096 * sizeof(dp_slot);
  options.fridges = fridges;
  options.replay = true;
  return make_config(options);
}

/// Ten looks a second at counters that grow steadily.
void feed(KernelPlan& plan, dp_control& control, Timestamp& now, double requests_a_second,
          double samples_a_request_let_in, Duration length) {
  static double arrivals, samples;
  if (to_ns(now) == 0) arrivals = samples = 0;
  for (Duration passed{0}; passed < length; passed += 100ms) {
    now += 100ms;
    arrivals += requests_a_second / 10;
    samples += requests_a_second / 10 * plan.entry_probability() * samples_a_request_let_in;
    plan.update(static_cast<std::uint64_t>(arrivals), static_cast<std::uint64_t>(samples), now,
                control);
  }
}

TEST(KernelPlan, LetsEveryoneInWhileThereIsRoom) {
  KernelPlan plan{config_of(3), {.longest = 10s}};
  dp_control control{};
  Timestamp now{};
  feed(plan, control, now, 1'000, 0.5, 30s);
  EXPECT_EQ(control.enter_below, everyone);
  EXPECT_EQ(control.look_below, everyone);
}

TEST(KernelPlan, TheSlowestFridgeLivesAsLongAsTheLongestDelay) {
  // One fridge of 12 288 slots and 100 000 requests in the longest delay: p is about an eighth.
  const dp_config config = config_of(1);
  KernelPlan plan{config, {.longest = 10s}};
  dp_control control{};
  Timestamp now{};
  feed(plan, control, now, 10'000, 0.5, 60s);
  const double wanted = static_cast<double>(slot_count(config)) / 100'000;
  EXPECT_GT(plan.entry_probability(), wanted / 1.5);
  EXPECT_LT(plan.entry_probability(), wanted * 1.5);
}

TEST(KernelPlan, KeepsTheSamplesBelowWhatSomebodyWantsToRead) {
  KernelPlan plan{config_of(3), {.longest = 10ms, .most_samples = 1'000.0}};
  dp_control control{};
  Timestamp now{};
  feed(plan, control, now, 100'000, 0.5, 20s);
  const double samples_a_second = 100'000 * 0.5 * plan.entry_probability();
  EXPECT_LE(samples_a_second, 1'000);
  EXPECT_GT(samples_a_second, 250) << "far fewer than allowed";
  feed(plan, control, now, 500, 0.5, 20s);
  EXPECT_EQ(plan.entry_probability(), 1) << "a lull lets everyone in again";
}

/// However large the table is: what enters costs time.
TEST(KernelPlan, LetsInWhatTakesASmallShareOfACpu) {
  DataplaneOptions options;
  options.table_bytes = std::size_t{64} << 20;
  KernelPlan plan{make_config(options), {.longest = 1s}};
  dp_control control{};
  Timestamp now{};
  feed(plan, control, now, 20'000, 0.5, 5s);
  EXPECT_EQ(plan.entry_probability(), 1);
  feed(plan, control, now, 2'000'000, 0.5, 5s);
  const double let_in = 2'000'000 * plan.entry_probability();
  EXPECT_LT(let_in, 75'000);
  EXPECT_GT(let_in, 25'000) << "far fewer than it could";
  feed(plan, control, now, 20'000, 0.5, 20s);
  EXPECT_EQ(plan.entry_probability(), 1) << "a lull lets everyone in again";
}

TEST(KernelPlan, AFixedProbabilityStays) {
  KernelPlan plan{config_of(3), {.longest = 1s, .entry_probability = 0.25}};
  dp_control control{};
  Timestamp now{};
  feed(plan, control, now, 1e6, 0.5, 5s);
  EXPECT_EQ(control.enter_below, everyone / 4);
  EXPECT_EQ(control.look_below, everyone / 4);
}

/// When p falls, requests that it let in before are still answered.  Looked up by the p of now,
/// as the twin does, most of them would be lost, and the slow ones most.
TEST(KernelPlan, WhoEnteredBeforeIsStillLookedFor) {
  for (const bool by_the_p_of_now : {false, true}) {
    const dp_config config = config_of(3);
    UserProgram program{config};
    KernelPlan plan{config, {.longest = 1s, .most_samples = 10.0}};
    constexpr std::uint32_t requests = 200;
    for (std::uint32_t i = 0; i < requests; ++i)
      program.process(Datagram{i, false}.at(1'000'000'000));
    // Suddenly there are far too many samples.
    plan.update(0, 0, timestamp_from_ns(1'000'000'000), program.control());
    plan.update(1'000'000, 1'000'000, timestamp_from_ns(1'500'000'000), program.control());
    ASSERT_LT(plan.entry_probability(), 0.01);
    EXPECT_EQ(program.control().look_below, everyone);
    if (by_the_p_of_now) program.control().look_below = program.control().enter_below;
    for (std::uint32_t i = 0; i < requests; ++i)
      program.process(Datagram{i, true}.at(2'000'000'000));
    if (by_the_p_of_now)
      EXPECT_LT(program.samples().size(), requests / 4) << "the twin goes unnoticed";
    else
      EXPECT_GT(program.samples().size(), requests * 9 / 10);
    // After `expire` nobody can wait any more that the p of now would not let in.
    plan.update(1'000'000, 1'000'000, timestamp_from_ns(13'000'000'000), program.control());
    EXPECT_LT(program.control().look_below, everyone);
  }
}

}  // namespace
}  // namespace sojourn
