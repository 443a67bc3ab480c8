// The collector of flow records on a handful of records, figure by figure.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "oneway/cnf/cnf_method.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Records of both points, one pair at a time.
struct Records {
  std::vector<FlowRecord> first, last;

  void add(std::uint32_t flow, Duration begins, std::uint64_t packets, Duration first_delay,
           Duration last_delay, Expiry expiry = Expiry::inactive) {
    const auto label = static_cast<std::uint32_t>(10 * first.size());
    FlowRecord record{.key = test_flow_key(flow),
                      .packets = packets,
                      .first = test_time(begins),
                      .last = test_time(packets > 1 ? begins + 1s : begins),
                      .first_label = label,
                      .last_label = packets > 1 ? label + 1 : label,
                      .expiry = expiry};
    first.push_back(record);
    record.first += first_delay;
    record.last += packets > 1 ? last_delay : first_delay;
    last.push_back(record);
  }
  OnewayResult result(CnfEstimator estimator, double drop_outliers = 0,
                      const OnewayOptions& selection = {}) const {
    CnfOptions options;
    options.estimator = estimator;
    options.drop_outliers = drop_outliers;
    return cnf_result(first, last, selection, options);
  }
};

std::map<std::string, std::uint64_t> counters_of(const OnewayResult& result) {
  return {result.counters.begin(), result.counters.end()};
}

TEST(CnfResult, WeighsTheRecordsOfAFlowByTheirPackets) {
  Records records;
  records.add(1, 0s, 2, 1ms, 3ms);   // mean 2 ms, of both packets
  records.add(1, 10s, 6, 5ms, 7ms);  // mean 6 ms, by its two ends
  records.add(2, 20s, 1, 10ms, 10ms);
  const OnewayResult result = records.result(CnfEstimator::endpoint);
  ASSERT_EQ(result.flows.size(), 2u);
  const FlowDelay& one = result.flows[0];
  EXPECT_EQ(one.key, test_flow_key(1));
  EXPECT_EQ(one.direction, Direction::forward);
  EXPECT_EQ(one.packets, 8u);
  EXPECT_NEAR(*one.mean_ns, (2 * 2e6 + 6 * 6e6) / 8, 1e-3);
  // Two delays that are 2 ms apart have a variance of 2 ms^2; the means of the records are 3 ms
  // below and 1 ms above the flow's.
  EXPECT_NEAR(*one.stddev_ns, 1e6 * std::sqrt((2 * (2 + 9) + 6 * (2 + 1)) / 8.0), 1e-3);
  EXPECT_EQ(result.flows[1].mean_ns, 10e6);
  EXPECT_EQ(result.flows[1].packets, 1u);
}

TEST(CnfResult, AMarginIsKnownOnlyIfThoseOfAllRecordsAre) {
  Records records;
  records.add(1, 0s, 2, 1ms, 3ms);
  records.add(1, 10s, 6, 5ms, 7ms);
  records.add(2, 20s, 2, 10ms, 20ms);
  const OnewayResult result = records.result(CnfEstimator::endpoint);
  EXPECT_FALSE(result.flows[0].margin_ns) << "four of the second record's packets are not known";
  EXPECT_EQ(result.flows[1].margin_ns, 0.0) << "all are";
}

TEST(CnfResult, MarginsOfRecordsAddUpLikeTheirMeans) {
  Records apart, together;
  for (int i = 0; i < 20; ++i) {
    const Duration delay = i % 2 ? 1ms : 3ms;
    apart.add(static_cast<std::uint32_t>(i), i * 100ms, 4, delay, delay);
    together.add(static_cast<std::uint32_t>(i % 10), i * 100ms, 4, delay, delay);
  }
  const auto of_each = apart.result(CnfEstimator::multiflow).flows;
  const auto of_pairs = together.result(CnfEstimator::multiflow).flows;
  ASSERT_EQ(of_each.size(), 20u);
  ASSERT_EQ(of_pairs.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_NEAR(*of_pairs[i].margin_ns, (*of_each[i].margin_ns + *of_each[i + 10].margin_ns) / 2,
                1);
}

// Of a flow that is selected every packet is in its record, however few flows are.
TEST(CnfResult, FlowsThatAreSelectedWholeAreAsIfAllWere) {
  Records records;
  for (int i = 0; i < 30; ++i)
    records.add(static_cast<std::uint32_t>(i), i * 100ms, 2 + static_cast<std::uint64_t>(i % 8),
                (i * 7 % 5) * 1ms, (i * 3 % 7) * 1ms);
  const OnewayOptions tenth_of_flows{.sampling = 0.1, .sample_flows = true};
  for (const auto estimator : {CnfEstimator::endpoint, CnfEstimator::multiflow,
                               CnfEstimator::hybrid, CnfEstimator::nearby}) {
    const auto all = records.result(estimator).flows;
    const auto selected = records.result(estimator, 0, tenth_of_flows).flows;
    ASSERT_EQ(all.size(), 30u);
    ASSERT_EQ(selected.size(), 30u);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(selected[i].mean_ns, all[i].mean_ns);
      EXPECT_EQ(selected[i].stddev_ns, all[i].stddev_ns);
      EXPECT_EQ(selected[i].margin_ns, all[i].margin_ns);
    }
  }
}

TEST(CnfResult, TheTotalIsThatOfAllDelaysThatWereRead) {
  Records records;
  records.add(1, 0s, 2, 1ms, 3ms);
  records.add(2, 10s, 5, 5ms, 7ms);
  const OnewayResult result = records.result(CnfEstimator::multiflow);
  ASSERT_TRUE(result.total);
  EXPECT_EQ(result.total->packets, 4u);
  EXPECT_NEAR(result.total->mean_ns, 4e6, 1e-3);
  EXPECT_NEAR(*result.total->stddev_ns, 1e6 * std::sqrt(20 / 3.0), 1) << "1, 3, 5 and 7 ms";
  EXPECT_TRUE(result.directions.empty()) << "nothing went back";
  EXPECT_EQ(result.memory_bytes, 4 * sizeof(FlowRecord));
}

TEST(CnfResult, CountsRecordsByWhatBecameOfThem) {
  Records records;
  records.add(1, 0s, 2, 1ms, 1ms, Expiry::closed);
  records.add(2, 1s, 2, 1ms, 1ms, Expiry::active);
  records.add(3, 2s, 2, 1ms, 1ms);
  records.last.pop_back();
  const OnewayResult result = records.result(CnfEstimator::multiflow);
  const auto counters = counters_of(result);
  EXPECT_EQ(counters.at("records-first"), 3u);
  EXPECT_EQ(counters.at("records-last"), 2u);
  EXPECT_EQ(counters.at("records-associated"), 2u);
  EXPECT_EQ(counters.at("records-unmatched"), 1u);
  EXPECT_EQ(counters.at("expired-" + std::string{name_of(Expiry::closed)}), 2u);
  EXPECT_EQ(counters.at("expired-" + std::string{name_of(Expiry::active)}), 2u);
  EXPECT_EQ(counters.at("expired-" + std::string{name_of(Expiry::inactive)}), 1u);
  EXPECT_EQ(counters.count("outliers"), 0u);
  EXPECT_EQ(counters.count("expired-" + std::string{name_of(Expiry::cache_full)}), 0u);
  EXPECT_TRUE(result.notes.empty());
}

TEST(CnfResult, SaysThatTheCacheWasTooSmall) {
  Records records;
  records.add(1, 0s, 2, 1ms, 1ms, Expiry::cache_full);
  EXPECT_EQ(records.result(CnfEstimator::multiflow).notes.size(), 1u);
}

TEST(CnfResult, LeavesOutTheShareOfTheLargestDelaysThatItIsTold) {
  Records records;
  for (int i = 0; i < 20; ++i)
    records.add(static_cast<std::uint32_t>(i), i * 1s, 1, i == 7 ? 900ms : 1ms, 0ms);
  const OnewayResult believed = records.result(CnfEstimator::multiflow),
                     dropped = records.result(CnfEstimator::multiflow, 0.05);
  EXPECT_GT(believed.total->mean_ns, 40e6);
  EXPECT_NEAR(dropped.total->mean_ns, 1e6, 1);
  EXPECT_EQ(counters_of(dropped).at("outliers"), 1u);
}

}  // namespace
}  // namespace sojourn
