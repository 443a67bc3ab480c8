#ifdef SOJOURN_WITH_SQLITE
#include "alarm/alarm_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "store/cell_batch.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// A thousand flows with 20 ms, within the window that is judged now.
void write_slow_flows(const std::string& path) {
  const auto store = open_store(path);
  ASSERT_TRUE(store) << store.error().message;
  const Timestamp now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  CellBatch batch;
  for (std::uint64_t flow = 0; flow < 1000; ++flow) {
    CellSeries series;
    series.slice = slice_of(now - 2min, finest_slice);
    series.measure = number_of(Kind::tcp);
    series.prefix = *IpAddress::parse("198.51.100.0");
    series.prefix_length = 24;
    batch.add(series, LogBuckets::index_of(20'000'000), FlowTag::numbered(flow), 1);
  }
  const std::vector<std::string> subjects = {"north"};
  ASSERT_TRUE((*store)->write({now, now, subjects, batch.blocks(), {}, {}}));
}

// A collector makes the store, and may be started after the alarms.
TEST(AlarmWatch, WaitsForAStoreThatIsNotThereYet) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("sojourn_alarm_watch_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = folder / "sojourn.db";
  std::mutex mutex;
  std::condition_variable said;
  std::string sentence;
  AlarmWatchOptions options;
  options.store = path;
  options.alarms.rules.push_back(*AlarmRule::parse("tcp p50 < 1ms"));
  options.alarms.every = 20ms;
  options.log = [&](const std::string& text) {
    const std::lock_guard lock{mutex};
    if (sentence.empty()) sentence = text;
    said.notify_one();
  };
  {
    const AlarmWatch watch{options};
    std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(watch.alarms().empty());
    write_slow_flows(path + ".new");
    std::filesystem::rename(path + ".new", path);
    // As the page does, while the watch looks and writes.
    const auto end = std::chrono::steady_clock::now() + 30s;
    while (watch.alarms().empty() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(1ms);
    std::unique_lock lock{mutex};
    EXPECT_TRUE(said.wait_for(lock, 30s, [&] { return !sentence.empty(); }));
    EXPECT_TRUE(sentence.starts_with("alarm 1: tcp p50 < 1ms: north")) << sentence;
    lock.unlock();
    EXPECT_EQ(watch.alarms().size(), 1);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace sojourn
#endif
