#include "oneway/cnf/cnf_margin.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "oneway/cnf/cnf_method.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(CnfMargin, ComesFromBothNumbersOfPackets) {
  const DelaySummary around{100, 5'000, 1'000};
  EXPECT_DOUBLE_EQ(*multiflow_margin_ns(around, 4), 1.96 * 1'000 * std::sqrt(0.01 + 0.25));
  EXPECT_FALSE(multiflow_margin_ns({1, 5'000, 0}, 4)) << "one delay has no deviation";
  // Half of the flow's four packets have their own delays.
  EXPECT_DOUBLE_EQ(*nearby_margin_ns(around, 4, 2, 4), 0.5 * *multiflow_margin_ns(around, 4));
  EXPECT_EQ(nearby_margin_ns(around, 2, 2, 2), 0.0) << "all are known";
  EXPECT_FALSE(endpoint_margin_ns(2, 200));
  EXPECT_EQ(endpoint_margin_ns(2, 2), 0.0);
}

TEST(CnfMargin, IsInTheResultOfWhoHasOne) {
  std::vector<FlowRecord> first, last;
  for (std::uint32_t i = 0; i < 20; ++i) {
    FlowRecord record{.key = test_flow_key(i),
                      .packets = 5,
                      .first = test_time(1s * i),
                      .last = test_time(1s * i + 5s),
                      .first_label = i,
                      .last_label = 1000 + i};
    first.push_back(record);
    record.first += Duration{1'000 + 100 * i};
    record.last += Duration{1'000 + 100 * i};
    last.push_back(record);
  }
  const auto margins = [&](CnfEstimator estimator) {
    CnfOptions options;
    options.estimator = estimator;
    std::size_t count = 0;
    for (const FlowDelay& flow : cnf_result(first, last, {.sampling = 0.1}, options).flows)
      count += flow.margin_ns.has_value();
    return count;
  };
  EXPECT_EQ(margins(CnfEstimator::multiflow), 20u);
  EXPECT_EQ(margins(CnfEstimator::nearby), 20u);
  EXPECT_EQ(margins(CnfEstimator::hybrid), 20u) << "five selected packets: above the threshold";
  EXPECT_EQ(margins(CnfEstimator::endpoint), 0u);
}

}  // namespace
}  // namespace sojourn
