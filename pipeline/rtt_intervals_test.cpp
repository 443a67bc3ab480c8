#include <gtest/gtest.h>

#include <array>

#include "pipeline/rtt_pipeline.h"
#include "pipeline/test_source.h"

namespace sojourn {
namespace {

using namespace test;

/// In a table that displaces, whose counters go on from the start.
TEST(RttIntervals, AddUpToTheRun) {
  const auto traffic = mixed_traffic(20'000, 3);
  RttOptions options;
  options.seed = 1;
  options.loss = true;
  options.table = *choose_table({.kind = TableKind::fridge, .memory_bytes = 4096});
  RttPipeline whole{options}, parts{options};
  std::array<KindCounters, kind_count> sums{};
  std::array<std::uint64_t, kind_count> samples{};
  double segments = 0;
  const auto segments_of = [](const LossTally& loss) {
    return loss.leg(Leg::server).weight(LossSign::segment) +
           loss.leg(Leg::client).weight(LossSign::segment);
  };
  const auto end_interval = [&] {
    const RttPipeline::Interval interval = parts.take_interval();
    for (std::size_t i = 0; i < kind_count; ++i) {
      sums[i] += interval.measurement.counters(static_cast<Kind>(i));
      samples[i] += interval.measurement.pooled(static_cast<Kind>(i)).count();
    }
    segments += segments_of(*interval.loss);
  };
  for (std::size_t i = 0; i < traffic.size(); ++i) {
    Packet packet = packet_of(traffic[i].bytes);
    packet.time = timestamp_from_ns(traffic[i].time_ns);
    whole.process({&packet, 1});
    parts.process({&packet, 1});
    if (i % 3'000 == 0) end_interval();
    if (i % 6'000 == 0) end_interval();  // one in which nothing came
  }
  end_interval();
  std::uint64_t displaced = 0;
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    const KindCounters& counters = whole.measurement().counters(kind);
    EXPECT_EQ(sums[i].requests, counters.requests) << name_of(kind);
    EXPECT_EQ(samples[i], whole.measurement().pooled(kind).count()) << name_of(kind);
    EXPECT_EQ(sums[i].ambiguous, counters.ambiguous) << name_of(kind);
    EXPECT_EQ(sums[i].super_packets, counters.super_packets) << name_of(kind);
    EXPECT_EQ(sums[i].left_out.total(), counters.left_out.total()) << name_of(kind);
    displaced += counters.left_out[LeftOut::displaced];
  }
  EXPECT_GT(displaced, 100u);
  EXPECT_DOUBLE_EQ(segments, segments_of(*whole.loss()));
}

}  // namespace
}  // namespace sojourn
