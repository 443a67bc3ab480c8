#include "oneway/cnf/record_diagnosis.h"

#include <gtest/gtest.h>

#include <vector>

#include "oneway/median_of.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using What = RecordDiagnosis::What;

/// Ten records of one flow each, `later` than others.
std::vector<FlowRecord> ten_records(std::uint32_t first_flow, std::uint32_t label,
                                    Duration later = {}) {
  std::vector<FlowRecord> records;
  for (std::uint32_t i = 0; i < 10; ++i)
    records.push_back({.key = test_flow_key(first_flow + i),
                       .packets = 5,
                       .first = test_time(i * 1s + later),
                       .last = test_time(i * 1s + later + 500ms),
                       .first_label = label + i});
  return records;
}

TEST(RecordDiagnosis, NamesThePointWithoutRecords) {
  EXPECT_EQ(diagnose_records({}, ten_records(0, 0)).what, What::no_records);
  EXPECT_EQ(diagnose_records({}, ten_records(0, 0)).point, Point::first);
  EXPECT_EQ(diagnose_records(ten_records(0, 0), {}).point, Point::last);
}

TEST(RecordDiagnosis, FindsTheSameRecordsFarApart) {
  const RecordDiagnosis far = diagnose_records(ten_records(0, 0), ten_records(0, 0, 1h));
  EXPECT_EQ(far.what, What::beyond_the_window);
  EXPECT_EQ(far.common, 10u);
  EXPECT_EQ(far.apart, 1h);
}

TEST(RecordDiagnosis, TellsOtherLabelsFromOtherTraffic) {
  const RecordDiagnosis labels = diagnose_records(ten_records(0, 0), ten_records(0, 100));
  EXPECT_EQ(labels.what, What::different_labels);
  EXPECT_EQ(labels.common, 10u);
  EXPECT_EQ(diagnose_records(ten_records(0, 0), ten_records(1'000, 0)).what,
            What::different_traffic);
  EXPECT_EQ(diagnose_records(ten_records(0, 0), ten_records(1'000, 0, 1h)).what,
            What::apart_in_time);
  // A few common flows are a coincidence.
  EXPECT_EQ(diagnose_records(ten_records(0, 0), ten_records(7, 100)).what, What::different_traffic);
}

TEST(MedianOf, TakesTheUpperMiddleAndLeavesTheDelaysAlone) {
  const std::vector<Duration> delays = {5ms, 1ms, 9ms, 3ms};
  EXPECT_EQ(median_of(delays), 5ms);
  EXPECT_EQ(delays.front(), 5ms);
  EXPECT_EQ(median_of({7ms}), 7ms);
}

}  // namespace
}  // namespace sojourn
