#include "capture/merged_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <compare>
#include <random>

#include "capture/files/open.h"
#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

/// The captures as one source; a capture with a chunk moves its bytes like a pipe.
std::unique_ptr<Source> merged(const std::vector<PcapWriter>& captures, std::size_t chunk) {
  std::vector<std::unique_ptr<Source>> sources;
  for (const PcapWriter& capture : captures)
    sources.push_back(*open_memory(capture.data, "part" + std::to_string(sources.size()), chunk));
  return std::make_unique<MergedSource>(std::move(sources));
}

/// Sizes grow in the order of captures and of packets, so that equal times keep that order.
struct Expected {
  std::uint32_t time, size;

  friend auto operator<=>(const Expected&, const Expected&) = default;
};

TEST(MergedSource, EqualsAStableSortByTime) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    std::mt19937_64 random{seed};
    std::vector<PcapWriter> captures(seed + 1);
    std::vector<Expected> expected;
    std::uint32_t size = 1;  // each packet has its own size, which identifies it
    for (PcapWriter& capture : captures) {
      auto time = static_cast<std::uint32_t>(random() % 100);
      for (std::uint64_t i = 0; i < 1 + random() % 400; ++i, ++size) {
        time += static_cast<std::uint32_t>(random() % 3);
        capture.packet(time, 0, size);
        expected.push_back({time, size});
      }
    }
    std::ranges::sort(expected);
    for (const std::size_t chunk : {0u, 5000u}) {
      const auto source = merged(captures, chunk);
      EXPECT_EQ(source->bytes_stay(), chunk == 0);
      const ReadAll all = read_all(*source, 50);
      ASSERT_EQ(all.packets.size(), expected.size()) << "seed " << seed;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(all.packets[i].time_ns, expected[i].time * 1'000'000'000ll) << i;
        ASSERT_EQ(all.packets[i].bytes, counting_bytes(expected[i].size)) << i << " seed " << seed;
      }
      EXPECT_EQ(all.counters.packets, expected.size());
      EXPECT_EQ(all.counters.backward_times, 0u);
    }
  }
}

TEST(MergedSource, SumsTheTroubleOfItsParts) {
  std::vector<PcapWriter> captures(3);
  captures[0].packet(1, 0, 10).packet(5, 0, 10).packet(3, 0, 10);  // goes back by itself
  captures[1].packet(2, 0, 10).counting(3);                        // cut
  const auto source = merged(captures, 0);                         // the third is empty
  const ReadAll all = read_all(*source);
  EXPECT_EQ(all.packets.size(), 4u);
  EXPECT_EQ(all.counters.bytes, 4 * 1010u);
  EXPECT_EQ(all.counters.backward_times, 1u);
  EXPECT_EQ(all.counters.cut_files, 1u);
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_EQ(all.warnings[0], "part1: cut in the middle of packet 2");
  EXPECT_GT(source->progress(), 0.9);  // all but the cut packet
}

/// A source without packets that only has warnings.
class Teller final : public Source {
 public:
  Teller(const SourceCounters& counters, double progress, bool bytes_stay = true)
      : counters_(counters), progress_(progress), bytes_stay_(bytes_stay) {}
  Filled next(std::span<Packet>) override { return {0, true}; }
  bool bytes_stay() const override { return bytes_stay_; }
  const SourceCounters& counters() const override { return counters_; }
  std::span<const std::string> warnings() const override { return {}; }
  double progress() const override { return progress_; }

 private:
  SourceCounters counters_;
  double progress_;
  bool bytes_stay_;
};

/// The warnings of two such sources together.
std::unique_ptr<Source> told(Teller one, Teller other) {
  std::vector<std::unique_ptr<Source>> sources;
  sources.push_back(std::make_unique<Teller>(one));
  sources.push_back(std::make_unique<Teller>(other));
  return std::make_unique<MergedSource>(std::move(sources));
}

TEST(MergedSource, SumsEveryCounter) {
  SourceCounters one, other;
  std::uint64_t number = 1;
  const auto counters = {&SourceCounters::cut_files,     &SourceCounters::bad_blocks,
                         &SourceCounters::clamped_times, &SourceCounters::unlikely_times,
                         &SourceCounters::unknown_link,  &SourceCounters::filtered,
                         &SourceCounters::kernel_drops};
  for (const auto counter : counters) {
    one.*counter = number++;
    other.*counter = number++;
  }
  const auto source = told({one, 0}, {other, 0});
  std::vector<Packet> batch(4);
  EXPECT_TRUE(source->next(batch).end);
  for (const auto counter : counters)
    EXPECT_EQ(source->counters().*counter, one.*counter + other.*counter);
}

TEST(MergedSource, IsAsFarAsItsPartsTogetherIfAllCanTell) {
  EXPECT_EQ(told({{}, 0}, {{}, 0.5})->progress(), 0.25) << "one has not begun";
  EXPECT_EQ(told({{}, 1}, {{}, 1})->progress(), 1);
  EXPECT_LT(told({{}, 1}, {{}, -1})->progress(), 0) << "a pipe";
}

TEST(MergedSource, BytesStayIfThoseOfAllPartsDo) {
  EXPECT_TRUE(told({{}, 0}, {{}, 0})->bytes_stay());
  EXPECT_FALSE(told({{}, 0}, {{}, 0, false})->bytes_stay());
  EXPECT_FALSE(told({{}, 0, false}, {{}, 0})->bytes_stay());
}

}  // namespace
}  // namespace sojourn
