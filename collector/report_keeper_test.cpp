#include "collector/report_keeper.h"

#include <gtest/gtest.h>

#include <vector>

#include "store/test_store.h"

namespace sojourn {
namespace {

PointReport numbered(std::uint64_t number, std::uint64_t instance = 7) {
  PointReport report;
  report.point = {"eth0", instance};
  report.number = number;
  report.exported = TestStore::start;
  report.marking = MarkingRun{.duty = "mark", .method = "step", .carrier = "dscp:0"};
  report.marks.resize(1);
  report.marks[0].interval = static_cast<std::int64_t>(number);
  return report;
}

std::vector<std::uint64_t> numbers_of(const std::deque<PointReport>& reports) {
  std::vector<std::uint64_t> numbers;
  for (const PointReport& report : reports) numbers.push_back(report.number);
  return numbers;
}

TEST(ReportQueue, KeepsTheOrder) {
  ReportQueue queue{3};
  for (const std::uint64_t number : {1u, 2u, 3u}) queue.put(numbered(number));
  EXPECT_EQ(numbers_of(queue.take()), (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_TRUE(queue.take().empty()) << "each is taken once";
  EXPECT_EQ(queue.thrown_away(), 0u);
}

TEST(ReportQueue, ThrowsTheOldestAwayAndCountsThem) {
  ReportQueue queue{3};
  for (std::uint64_t number = 1; number <= 8; ++number) queue.put(numbered(number));
  EXPECT_EQ(queue.thrown_away(), 5u);
  EXPECT_EQ(numbers_of(queue.take()), (std::vector<std::uint64_t>{6, 7, 8}));
  queue.put(numbered(9));
  EXPECT_EQ(queue.thrown_away(), 5u) << "there is room again";
}

/// Remembers the intervals in the order in which they were written.
struct ListingStore : TestStore {
  Result<void> write(const StoreWrite& write) override {
    for (const PointMarks& each : write.marks)
      for (const MarkCount& count : each.counts) intervals.push_back(count.interval);
    return {};
  }
  std::vector<std::int64_t> intervals;
};

TEST(ReportKeeper, StoresAllInOrderAlsoWhatWaitsAtTheEnd) {
  ListingStore store;
  Collector collector{{}};
  StoreFlusher flusher{store, "the store", [](const StoreWrite&) {}, [](const std::string&) {}};
  ReportQueue queue;
  std::vector<std::int64_t> all;
  for (std::int64_t number = 1; number <= 300; ++number) all.push_back(number);
  {
    const ReportKeeper keeper{collector, flusher, queue, [] { return TestStore::start; },
                              [](const std::string&) {}};
    for (const std::int64_t number : all) queue.put(numbered(static_cast<std::uint64_t>(number)));
  }  // at once: most of them wait when it is told to end
  EXPECT_EQ(store.intervals, all);
  EXPECT_EQ(queue.thrown_away(), 0u);
}

TEST(ReportKeeper, LogsWhatTheCollectorNotices) {
  ListingStore store;
  Collector collector{{}};
  StoreFlusher flusher{store, "the store", [](const StoreWrite&) {}, [](const std::string&) {}};
  ReportQueue queue;
  std::vector<std::string> log;
  {
    const ReportKeeper keeper{collector, flusher, queue, [] { return TestStore::start; },
                              [&](const std::string& line) { log.push_back(line); }};
    for (std::uint64_t number = 1; number <= 10; ++number)
      for (const std::uint64_t instance : {7u, 8u}) queue.put(numbered(number, instance));
  }
  ASSERT_FALSE(log.empty()) << "two points of one name";
  EXPECT_TRUE(log.front().contains("eth0")) << log.front();
}

}  // namespace
}  // namespace sojourn
