#include <gtest/gtest.h>

#include <array>

#include "capture/files/open.h"
#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

ReadAll read(const Bytes& capture, std::size_t chunk = 0, std::size_t batch = 5) {
  const auto source = open_memory(capture.data, "a.pcap", chunk);
  EXPECT_TRUE(source) << source.error().message;
  return source ? read_all(**source, batch) : ReadAll{};
}

std::string refusal(const Bytes& capture) {
  const auto source = open_memory(capture.data, "a.pcap");
  return source ? "opened" : source.error().message;
}

struct PcapVariant {
  std::uint32_t magic;
  bool swapped;
  std::int64_t fraction_ns;
};

class PcapVariants : public testing::TestWithParam<PcapVariant> {};

TEST_P(PcapVariants, AreReadWholeAndInPieces) {
  const auto [magic, swapped, fraction_ns] = GetParam();
  PcapWriter capture{magic, swapped};
  for (std::uint32_t i = 0; i < 12; ++i) capture.packet(1'700'000'000 + i, 999'999, 60 + i);
  for (const std::size_t chunk : {0u, 1u, 7u, 65'536u}) {
    const ReadAll all = read(capture, chunk);
    ASSERT_EQ(all.packets.size(), 12u) << "chunk " << chunk;
    for (std::uint32_t i = 0; i < 12; ++i) {
      EXPECT_EQ(all.packets[i].time_ns,
                (1'700'000'000 + i) * 1'000'000'000ll + 999'999 * fraction_ns);
      EXPECT_EQ(all.packets[i].length, 1060 + i);
      EXPECT_EQ(all.packets[i].link, LinkType::ethernet);
      EXPECT_EQ(all.packets[i].bytes, counting_bytes(60 + i));
    }
    EXPECT_EQ(all.counters.packets, 12u);
    EXPECT_EQ(all.counters.bytes, 12 * 1060u + 66);
    EXPECT_EQ(all.counters.cut_files, 0u);
    EXPECT_TRUE(all.warnings.empty());
  }
}

TEST_P(PcapVariants, CutAtAnyByteGiveThePacketsBefore) {
  const auto [magic, swapped, fraction_ns] = GetParam();
  PcapWriter capture{magic, swapped};
  std::vector<std::size_t> ends = {capture.size()};
  for (std::uint32_t i = 0; i < 4; ++i) ends.push_back(capture.packet(i, 0, 5 * i).size());
  for (std::size_t cut = 0; cut < capture.size(); ++cut) {
    Bytes part{{capture.data.begin(), capture.data.begin() + static_cast<std::ptrdiff_t>(cut)}};
    if (cut < ends[0]) {
      EXPECT_NE(refusal(part), "opened") << cut;
      continue;
    }
    std::size_t whole = 0;
    while (ends[whole + 1] <= cut) ++whole;
    for (const std::size_t chunk : {0u, 3u}) {
      const ReadAll all = read(part, chunk, 2);
      EXPECT_EQ(all.packets.size(), whole) << cut;
      EXPECT_EQ(all.counters.cut_files, ends[whole] == cut ? 0u : 1u) << cut;
      if (ends[whole] == cut) continue;
      ASSERT_EQ(all.warnings.size(), 1u) << cut;
      EXPECT_EQ(all.warnings[0],
                "a.pcap: cut in the middle of packet " + std::to_string(whole + 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Magics, PcapVariants,
                         testing::Values(PcapVariant{pcap_us, false, 1000},
                                         PcapVariant{pcap_us, true, 1000},
                                         PcapVariant{pcap_ns, false, 1},
                                         PcapVariant{pcap_ns, true, 1},
                                         PcapVariant{pcap_kuznetzov, false, 1000},
                                         PcapVariant{pcap_kuznetzov, true, 1000}));

TEST(PcapDecoder, StopsBeforeAnAbsurdLength) {
  for (const std::uint32_t absurd : {262'145u, 0x7fff'ffffu, 0xffff'ffffu}) {
    PcapWriter capture;
    capture.packet(1, 0, 40).packet_header(2, 0, absurd, absurd).counting(100);
    for (const std::size_t chunk : {0u, 10u}) {
      const ReadAll all = read(capture, chunk);
      EXPECT_EQ(all.packets.size(), 1u);
      EXPECT_EQ(all.counters.bad_blocks, 1u);
      EXPECT_EQ(all.counters.cut_files, 0u);
      ASSERT_EQ(all.warnings.size(), 1u);
      EXPECT_EQ(all.warnings[0], "a.pcap: packet 2 claims " + std::to_string(absurd) +
                                     " captured bytes; reading stops before it");
    }
  }
}

TEST(PcapDecoder, ReadsTheLargestPacketThroughASmallBuffer) {
  PcapWriter capture;
  for (std::uint32_t i = 0; i < 5; ++i) capture.packet(i, 0, 262'144);
  for (const std::size_t chunk : {0u, 100'000u, 1'000'000u}) {
    const ReadAll all = read(capture, chunk);
    ASSERT_EQ(all.packets.size(), 5u);
    for (const Copied& packet : all.packets) EXPECT_EQ(packet.bytes, counting_bytes(262'144));
  }
}

TEST(PcapDecoder, RaisesALengthThatIsLessThanWhatWasCaptured) {
  PcapWriter capture;
  capture.packet_header(1, 0, 60, 10).counting(60);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 1u);
  EXPECT_EQ(all.packets[0].length, 60u);
  EXPECT_EQ(all.packets[0].bytes.size(), 60u);
}

TEST(PcapDecoder, CarriesAFractionOfMoreThanASecond) {
  PcapWriter capture{pcap_us};
  capture.packet(10, 2'500'000, 20).packet(0xffff'ffff, 0xffff'ffff, 20);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 2u);
  EXPECT_EQ(all.packets[0].time_ns, 12'500'000'000);
  EXPECT_EQ(all.packets[1].time_ns, 4'294'967'295'000'000'000 + 4'294'967'295'000);
}

TEST(PcapDecoder, CountsTimesThatGoBack) {
  PcapWriter capture;
  capture.packet(5, 0, 20).packet(4, 0, 20).packet(4, 0, 20).packet(6, 0, 20).packet(5, 9, 20);
  for (const std::size_t batch : {1u, 2u, 100u})
    EXPECT_EQ(read(capture, 0, batch).counters.backward_times, 2u);
}

TEST(PcapDecoder, SaysOfEachBatchWhetherItIsInOrder) {
  PcapWriter capture;
  capture.packet(5, 0, 20)
      .packet(5, 0, 20)
      .packet(7, 0, 20)
      .packet(6, 0, 20)
      .packet(6, 0, 20)
      .packet(8, 0, 20);
  const auto source = open_memory(capture.data, "a.pcap");
  ASSERT_TRUE(source) << source.error().message;
  std::array<Packet, 2> batch;
  for (const bool in_order : {true, false, true}) {
    const Source::Filled filled = (*source)->next(batch);
    ASSERT_EQ(filled.count, 2u);
    EXPECT_EQ(filled.in_order, in_order);
  }
}

TEST(PcapDecoder, IgnoresTheFrameCheckBitsBesideTheLinkType) {
  const auto source =
      open_memory(PcapWriter{pcap_ns, false, 0x2400'0065}.packet(1, 0, 20).data, "a");
  ASSERT_TRUE(source) << source.error().message;
}

TEST(PcapDecoder, RefusesAnUnknownLinkTypeByNameAndNumber) {
  EXPECT_EQ(
      refusal(PcapWriter{pcap_ns, true, 147}).substr(0, 88),
      "a.pcap: link type 147 (USER0) is not supported; supported are Ethernet, raw IP, BSD null");
  EXPECT_EQ(refusal(PcapWriter{pcap_ns, false, 0x0001'0001}).substr(0, 47),
            "a.pcap: link type 65537 (unnamed) is not suppor");
}

TEST(PcapDecoder, ReadsOldVersionsWhoseLengthsStandInTheOtherOrder) {
  for (const bool swapped : {false, true}) {
    PcapWriter capture{pcap_us, swapped};
    capture.data[swapped ? 7 : 6] = std::byte{2};
    capture.packet_header(1, 0, 1500, 68).counting(68);
    capture.packet_header(2, 0, 40, 40).counting(40);
    const ReadAll all = read(capture);
    ASSERT_EQ(all.packets.size(), 2u);
    EXPECT_EQ(all.packets[0].bytes, counting_bytes(68));
    EXPECT_EQ(all.packets[0].length, 1500u);
    EXPECT_EQ(all.packets[1].bytes, counting_bytes(40));
    EXPECT_TRUE(all.warnings.empty());
  }
}

TEST(PcapDecoder, RefusesAnotherVersion) {
  PcapWriter capture;
  capture.data[4] = std::byte{3};
  EXPECT_EQ(refusal(capture), "a.pcap: pcap version 3 is not supported");
}

TEST(PcapDecoder, RefusesAHeaderThatIsCut) {
  PcapWriter capture;
  capture.data.resize(23);
  EXPECT_EQ(refusal(capture), "a.pcap: cut inside the pcap header: 23 of 24 bytes");
}

}  // namespace
}  // namespace sojourn
