#include "lab/recorder/record_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lab/query_load.h"

namespace sojourn {
namespace {

struct KeptSamples final : SampleSink {
  std::vector<Sample> samples;
  void take(std::span<const Sample> more) override {
    samples.insert(samples.end(), more.begin(), more.end());
  }
};

struct Recorded {
  RecordedTraffic made;
  std::vector<Sample> samples;
  std::size_t bytes = 0;
};

template <class GoOn>
Recorded record(std::uint64_t requests, GoOn go_on) {
  QueryLoad model{QueryLoadOptions{.requests = requests}};
  Recorded recorded;
  CaptureWriter capture{[&](std::string_view block) { recorded.bytes += block.size(); },
                        LinkType::ethernet};
  KeptSamples kept;
  recorded.made = record_traffic(model, capture, kept, go_on);
  capture.flush();
  recorded.samples = kept.samples;
  return recorded;
}

TEST(RecordTraffic, WritesEveryPacketAndHandsOnEverySample) {
  const Recorded all = record(1'000, [](std::uint64_t) { return true; });
  EXPECT_EQ(all.made.samples, all.samples.size());
  EXPECT_EQ(all.made.packets, 1'000 + all.samples.size());  // an answer gives a sample
  EXPECT_GT(all.bytes, all.made.packets * (16 + 60));       // record header and a frame
  EXPECT_TRUE(std::ranges::is_sorted(all.samples, {}, &Sample::time));
  EXPECT_LT(all.made.first, all.made.last);
}

TEST(RecordTraffic, EndsEarlyWhenAskedTo) {
  std::uint64_t told = 0;
  const Recorded some = record(100'000, [&](std::uint64_t packets) {
    told = packets;
    return false;
  });
  EXPECT_EQ(some.made.packets, told);
  EXPECT_LT(told, 100'000u);
}

}  // namespace
}  // namespace sojourn
