#include "capture/source_warnings.h"

#include <gtest/gtest.h>

#include "capture/capture_log.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

std::size_t warnings_of(const SourceCounters& counters) { return time_warnings(counters).size(); }

TEST(TimeWarnings, AreNoneForUsualCaptures) {
  EXPECT_EQ(warnings_of({}), 0u);
  EXPECT_EQ(warnings_of({.packets = 1000}), 0u);
  EXPECT_EQ(warnings_of({.packets = 1000, .backward_times = 249, .furthest_back = 999ms}), 0u);
}

TEST(TimeWarnings, NameTimesThatCannotBe) {
  const auto warnings = time_warnings({.packets = 1000, .unlikely_times = 3});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("3 of 1 000 packets"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("before 1970"), std::string::npos);
}

TEST(TimeWarnings, NameACaptureThatIsNotInOrder) {
  EXPECT_EQ(warnings_of({.packets = 1000, .backward_times = 1, .furthest_back = 1s}), 1u);
  const auto warnings =
      time_warnings({.packets = 1000, .backward_times = 250, .furthest_back = 5ms});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("250 of 1 000 packets"), std::string::npos) << warnings[0];
  EXPECT_NE(warnings[0].find("up to 5"), std::string::npos) << warnings[0];
}

class Reversed final : public Source {
 public:
  Filled next(std::span<Packet>) override { return {0, true}; }
  bool bytes_stay() const override { return true; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return warnings_; }
  double progress() const override { return 1; }

 private:
  SourceCounters counters_{.packets = 10, .backward_times = 9, .furthest_back = 1ms};
  std::vector<std::string> warnings_{"a.pcap: cut in the middle of packet 10"};
};

TEST(AllWarnings, AreTheSourcesOwnAndThoseOfItsTimes) {
  const Reversed source;
  const auto named = all_warnings(source, "a.pcap");
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0], source.warnings()[0]);
  EXPECT_TRUE(named[1].starts_with("a.pcap: 9 of 10 packets")) << named[1];
  EXPECT_TRUE(all_warnings(source)[1].starts_with("9 of 10 packets"));
}

TEST(PacketTally, KeepsTheLargestStepBack) {
  PacketTally tally;
  for (const std::int64_t time : {100, 90, 95, 60, 61})
    tally.add({.time = timestamp_from_ns(time), .length = 10});
  SourceCounters counters;
  tally.report(counters);
  EXPECT_EQ(counters.bytes, 50u);
  EXPECT_EQ(counters.backward_times, 2u);
  EXPECT_EQ(counters.furthest_back, 35ns);

  tally.add({.time = Timestamp::max()});
  tally.add({.time = Timestamp::min()});
  tally.report(counters);
  EXPECT_EQ(counters.furthest_back, Duration::max()) << "further than can be said";
}

}  // namespace
}  // namespace sojourn
