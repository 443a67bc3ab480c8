// Are the tables right on average?  Each question is asked of four kinds of traffic, and each has
// a twin with a known mistake that must be noticed.
//
// False alarms: 2e-10 a case (test_bias.h); the seeds are fixed, so it fails always or never.

#include <gtest/gtest.h>

#include "roundtrip/fridge_table.h"
#include "roundtrip/fridges_table.h"
#include "roundtrip/staged_table.h"
#include "roundtrip/test_bias.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t slots = 1024;  // where about 5000 requests wait for half a second
constexpr std::size_t memory = slots * 16;
constexpr double entry_probability = slots / 50'000.0;

struct Case {
  const char* name;
  Traffic traffic;
};
const std::array cases = {
    Case{"steady", {}},
    Case{"87 % unanswered", {.answered = 0.13}},
    Case{"rate changes eightfold", {.rate_factor = 8}},
    Case{"bursts with delay", {.burst_rate = 4, .burst_delay = 5}},
};

class FixedMemory : public testing::TestWithParam<Case> {
 protected:
  const Stream& stream() const {
    static std::map<std::string, Stream> streams;
    auto& stream = streams[GetParam().name];
    if (stream.events.empty()) stream = simulate(GetParam().traffic, 20'261'115);
    return stream;
  }
};
INSTANTIATE_TEST_SUITE_P(Traffic, FixedMemory, testing::ValuesIn(cases), [](const auto& one) {
  std::string name = one.param.name;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

TEST_P(FixedMemory, FridgeIsUnbiasedWithEitherCounter) {
  const Bias arrivals = bias_of(stream(), [] { return FridgeTable{{memory, entry_probability}}; });
  EXPECT_TRUE(arrivals.unbiased()) << arrivals.text();
  const Bias insertions =
      bias_of(stream(), [] { return BasicFridgeTable<CountInsertions>{{memory, entry_probability}}; });
  EXPECT_TRUE(insertions.unbiased()) << insertions.text();
}

TEST_P(FixedMemory, SelfTuningFridgeIsUnbiased) {
  const Bias bias = bias_of(
      stream(), [] { return FridgesTable{{.memory_bytes = memory, .fridges = 1, .longest = 500ms}}; });
  EXPECT_TRUE(bias.unbiased()) << bias.text();
}

TEST_P(FixedMemory, FridgesAreUnbiasedFixedAndSelfTuning) {
  const Bias tuning = bias_of(stream(), [] { return FridgesTable{{.memory_bytes = memory, .longest = 500ms}}; });
  EXPECT_TRUE(tuning.unbiased()) << tuning.text();
  const Bias fixed =
      bias_of(stream(), [] { return FridgesTable{{.memory_bytes = memory, .entry_probability = 0.1}}; });
  EXPECT_TRUE(fixed.unbiased()) << fixed.text();
}

}  // namespace
}  // namespace sojourn
