#include "collector/store_flusher.h"

#include <gtest/gtest.h>

#include "store/test_store.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Fails while it is full, and counts what it is given.
struct FailingStore : TestStore {
  Result<void> write(const StoreWrite& write) override {
    if (full) return failure("no space left");
    for (const PointMarks& each : write.marks) counts += each.counts.size();
    return {};
  }
  bool full = true;
  std::size_t counts = 0;
};

PointReport numbered_report(std::uint64_t number, std::size_t counts) {
  PointReport report;
  report.point = {"north", 7};
  report.number = number;
  report.exported = TestStore::start;
  report.marking = MarkingRun{.duty = "mark", .method = "step", .carrier = "dscp:0"};
  report.marks.resize(counts);
  return report;
}

TEST(StoreFlusher, WritesOnceWhatWaitedForAFullStore) {
  FailingStore store;
  Collector collector{{}};
  std::vector<std::string> log;
  int told = 0;
  StoreFlusher flusher{store, "the store", [&](const StoreWrite&) { ++told; },
                       [&](const std::string& line) { log.push_back(line); }};
  collector.take(numbered_report(1, 10), TestStore::start);
  const auto refused = flusher.flush(collector, TestStore::start + 10s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot write the store: no space left");
  collector.take(numbered_report(2, 5), TestStore::start + 10s);
  EXPECT_FALSE(flusher.flush(collector, TestStore::start + 20s));
  ASSERT_EQ(log.size(), 1u) << "the same trouble is told once";
  EXPECT_EQ(log[0], "cannot write the store: no space left; trying again every 10 s");
  EXPECT_EQ(told, 0);

  store.full = false;
  EXPECT_TRUE(flusher.flush(collector, TestStore::start + 30s));
  EXPECT_EQ(store.counts, 15u);
  EXPECT_TRUE(flusher.flush(collector, TestStore::start + 40s));
  EXPECT_EQ(store.counts, 15u) << "nothing is written twice";
  EXPECT_EQ(told, 2);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[1], "the store can be written again; nothing was lost");
}

}  // namespace
}  // namespace sojourn
