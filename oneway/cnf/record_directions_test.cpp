#include "oneway/cnf/record_directions.h"

#include <gtest/gtest.h>

#include <vector>

#include "oneway/cnf/cnf_method.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// A connection a second: 2 ms forward and 5 ms back, with clocks that are `offset` apart.
struct BothWays {
  std::vector<FlowRecord> first, last;

  explicit BothWays(Duration offset) {
    for (std::uint32_t i = 0; i < 50; ++i) {
      const FlowRecord there{.key = test_flow_key(i),
                             .packets = 2,
                             .first = test_time(i * 1s),
                             .last = test_time(i * 1s + 500ms),
                             .first_label = 4 * i,
                             .last_label = 4 * i + 1};
      FlowRecord back = there;
      back.key = there.key.reversed();
      back.first_label = 4 * i + 2, back.last_label = 4 * i + 3;
      first.push_back(there), last.push_back(later(there, 2ms + offset));
      first.push_back(later(back, 10ms)), last.push_back(later(back, 5ms + offset));
    }
  }
  static FlowRecord later(FlowRecord record, Duration by) {
    record.first += by;
    record.last += by;
    return record;
  }
};

class RecordDirections : public testing::TestWithParam<Duration> {};

// Before, the forward delays of 2 ms and the backward readings of -5 ms were averaged.
TEST_P(RecordDirections, AreEstimatedApart) {
  const BothWays traffic{GetParam()};
  const auto offset = static_cast<double>(to_ns(GetParam()));
  for (const auto estimator : {CnfEstimator::multiflow, CnfEstimator::nearby, CnfEstimator::hybrid,
                               CnfEstimator::endpoint}) {
    CnfOptions options;
    options.estimator = estimator;
    const OnewayResult result = cnf_result(traffic.first, traffic.last, {}, options);
    ASSERT_EQ(result.flows.size(), 100u);
    for (const FlowDelay& flow : result.flows) {
      const bool forward = flow.key.destination_port == 443;
      EXPECT_EQ(flow.direction, forward ? Direction::forward : Direction::backward);
      EXPECT_DOUBLE_EQ(*flow.mean_ns, (forward ? 2e6 : -5e6) + offset);
    }
    EXPECT_DOUBLE_EQ(result.total->mean_ns, 2e6 + offset);
    ASSERT_EQ(result.directions.size(), 2u);
    EXPECT_EQ(result.directions[0].flows, 50u);
    EXPECT_DOUBLE_EQ(result.directions[0].total->mean_ns, 2e6 + offset);
    EXPECT_EQ(result.directions[1].direction, Direction::backward);
    EXPECT_EQ(result.directions[1].flows, 50u);
    EXPECT_DOUBLE_EQ(result.directions[1].total->mean_ns, 5e6 - offset);
  }
}
INSTANTIATE_TEST_SUITE_P(ByOffset, RecordDirections,
                         testing::Values(Duration{0}, Duration{1s}, Duration{-1s}));

TEST(RecordDirections, AreOneIfNobodyAnswers) {
  const BothWays traffic{-1s};
  std::vector<FlowRecord> first, last;
  for (std::size_t i = 0; i < traffic.first.size(); i += 2) {
    first.push_back(traffic.first[i]);
    last.push_back(traffic.last[i]);
  }
  const OnewayResult result = cnf_result(first, last, {}, {});
  EXPECT_TRUE(result.directions.empty());
  EXPECT_EQ(result.flows.size(), 50u);
  EXPECT_DOUBLE_EQ(result.total->mean_ns, 2e6 - 1e9);
}

TEST(RecordDirections, OutliersAreTheLongestOfEitherDirection) {
  BothWays traffic{0s};
  traffic.last[1] = BothWays::later(traffic.last[1], -100ms);  // back at the first 100 ms later
  CnfOptions options;
  options.drop_outliers = 0.02;  // two of the hundred delays of a direction
  options.estimator = CnfEstimator::endpoint;
  const OnewayResult result = cnf_result(traffic.first, traffic.last, {}, options);
  EXPECT_EQ(result.flows.size(), 99u);
  EXPECT_DOUBLE_EQ(result.directions[1].total->mean_ns, 5e6);
  Association association{{{0, 3ms, std::nullopt}, {1, std::nullopt, -4ms}}};
  turn_round(association);
  EXPECT_EQ(association.flows[0].first_delay, -3ms);
  EXPECT_EQ(association.flows[1].last_delay, 4ms);
  EXPECT_FALSE(association.flows[0].last_delay);
}

}  // namespace
}  // namespace sojourn
