#include "pipeline/read_summaries.h"

#include <gtest/gtest.h>

#include "pipeline/test_source.h"

namespace sojourn {
namespace {

using namespace test;

/// Segments of one connection and ARP, which nothing can use; the third segment comes twice.
std::vector<StoredPacket> packets_to_read() {
  std::vector<StoredPacket> stored;
  for (std::uint8_t i = 0; i < 10; ++i) {
    Bytes segment = ipv4({}, IpProtocol::tcp, tcp({}, {}));
    segment[5] = std::byte{i};  // the identification
    const Bytes frame = ethernet(EtherType::ipv4, segment);
    stored.push_back({i * 1'000'000, frame});
    if (i == 2) stored.push_back({i * 1'000'000 + 1'000, frame});
    if (i == 5)
      stored.push_back({i * 1'000'000 + 2'000, ethernet(EtherType::arp, Bytes(28, std::byte{0}))});
  }
  return stored;
}

TEST(ReadSummaries, GivesWhatAKindCanUseOnce) {
  const auto stored = packets_to_read();
  for (const std::size_t portion : {1u, 3u, 4096u}) {
    MemorySource source{stored, portion, false};
    source.quiet_now_and_then = true;
    std::vector<Timestamp> times;
    std::size_t read = 0;
    EXPECT_TRUE(read_summaries(source, KindSet::usual(), 1,
                               [&](std::span<const Summary> batch, std::size_t packets) {
                                 for (const Summary& summary : batch) times.push_back(summary.time);
                                 read += packets;
                                 return true;
                               }));
    EXPECT_EQ(read, 12u);
    ASSERT_EQ(times.size(), 10u) << "neither ARP nor the copy";
    EXPECT_EQ(times[3], timestamp_from_ns(3'000'000));
  }
}

TEST(ReadSummaries, StopsWhenThatIsEnough) {
  const auto stored = packets_to_read();
  MemorySource source{stored, 2};
  std::size_t kept = 0;
  EXPECT_FALSE(
      read_summaries(source, KindSet::usual(), 1, [&](std::span<const Summary> batch, std::size_t) {
        kept += batch.size();
        return kept < 4;
      }));
  EXPECT_EQ(kept, 5u) << "the batches of two, the copy taken out";
}

}  // namespace
}  // namespace sojourn
