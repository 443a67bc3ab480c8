#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "capture/files/open.h"
#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

ReadAll read(const Bytes& capture, std::size_t chunk = 0, std::size_t batch = 5) {
  const auto source = open_memory(capture.data, "a.pcapng", chunk);
  EXPECT_TRUE(source) << source.error().message;
  return source ? read_all(**source, batch) : ReadAll{};
}

/// Every kind of block, in two sections of different byte order.
PcapngWriter mixed_capture(bool swapped, std::vector<std::size_t>* ends = nullptr) {
  PcapngWriter capture{swapped};
  const auto note = [&] {
    if (ends != nullptr) ends->push_back(capture.size());
  };
  capture.section().interface().interface(101, 0, capture.resolution_option(9));
  capture.block(0x0bad, capture.body().counting(40));
  capture.enhanced(0, 1'700'000'000'000'001, 61), note();
  capture.enhanced(1, 1'700'000'000'000'002'003, 62), note();
  capture.obsolete(1, 1'700'000'000'000'003'004, 63), note();
  capture.simple(64, 64), note();
  capture.block(5, capture.body().u64(0).u32(0));
  capture.swapped = !swapped;
  capture.section().interface(113);
  capture.enhanced(0, 1'700'000'000'000'005, 65), note();
  return capture;
}

TEST(PcapngDecoder, ReadsEveryKindOfPacketInEitherByteOrder) {
  for (const bool swapped : {false, true}) {
    for (const std::size_t chunk : {0u, 1u, 13u, 4096u}) {
      const ReadAll all = read(mixed_capture(swapped), chunk);
      const std::vector<Copied> expected = {
          {1'700'000'000'000'001'000, 1061, LinkType::ethernet, counting_bytes(61)},
          {1'700'000'000'000'002'003, 1062, LinkType::raw, counting_bytes(62)},
          {1'700'000'000'000'003'004, 1063, LinkType::raw, counting_bytes(63)},
          {1'700'000'000'000'003'004, 64, LinkType::ethernet, counting_bytes(64)},
          {1'700'000'000'000'005'000, 1065, LinkType::linux_cooked, counting_bytes(65)},
      };
      EXPECT_EQ(all.packets, expected);
      EXPECT_EQ(all.counters.bad_blocks, 0u);
      EXPECT_EQ(all.counters.bytes, 1061u + 1062 + 1063 + 64 + 1065);
      ASSERT_EQ(all.warnings.size(), 1u);
      EXPECT_EQ(
          all.warnings[0],
          "a.pcapng: Simple Packet Blocks have no time; they are given that of the packet before");
    }
  }
}

TEST(PcapngDecoder, CutAtAnyByteGivesThePacketsBefore) {
  std::vector<std::size_t> ends;
  const PcapngWriter capture = mixed_capture(false, &ends);
  // A valid capture may end wherever a block ends.
  std::vector<std::size_t> block_ends;
  for (std::size_t at = 0; at < capture.size();) {
    std::uint32_t size = 0;
    std::memcpy(&size, capture.data.data() + at + 4, 4);
    at += size > capture.size() ? std::byteswap(size) : size;
    block_ends.push_back(at);
  }
  ASSERT_EQ(block_ends.back(), capture.size());
  for (std::size_t cut = 28; cut < capture.size(); ++cut) {
    const Bytes part{
        {capture.data.begin(), capture.data.begin() + static_cast<std::ptrdiff_t>(cut)}};
    const auto whole =
        static_cast<std::size_t>(std::ranges::count_if(ends, [&](auto end) { return end <= cut; }));
    const bool orderly = std::ranges::find(block_ends, cut) != block_ends.end();
    for (const std::size_t chunk : {0u, 5u}) {
      const ReadAll all = read(part, chunk, 2);
      EXPECT_EQ(all.packets.size(), whole) << cut;
      EXPECT_EQ(all.counters.cut_files, orderly ? 0u : 1u) << cut;
      EXPECT_EQ(all.counters.bad_blocks, 0u) << cut;
    }
  }
}

TEST(PcapngDecoder, KnowsResolutionsOfTenAndTwoAndOffsets) {
  PcapngWriter capture;
  capture.section();
  capture.interface(1, 0, capture.resolution_option(3));
  capture.interface(1, 0, capture.resolution_option(12));
  capture.interface(1, 0, capture.resolution_option(0x80 | 10));
  capture.interface(1, 0, capture.offset_option(-5).append(capture.resolution_option(0)));
  capture.enhanced(0, 7, 1).enhanced(1, 7'000'999, 1).enhanced(2, 1024 + 512, 1).enhanced(3, 7, 1);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 4u);
  EXPECT_EQ(all.packets[0].time_ns, 7'000'000);
  EXPECT_EQ(all.packets[1].time_ns, 7'000);
  EXPECT_EQ(all.packets[2].time_ns, 1'500'000'000);
  EXPECT_EQ(all.packets[3].time_ns, 2'000'000'000);
}

TEST(PcapngDecoder, ClampsTimesOutsideTheRange) {
  PcapngWriter capture;
  capture.section().interface();
  capture.interface(1, 0, capture.offset_option(std::numeric_limits<std::int64_t>::min()));
  capture.enhanced(0, ~std::uint64_t{0}, 1).enhanced(1, 0, 1);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 2u);
  EXPECT_EQ(all.packets[0].time_ns, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(all.packets[1].time_ns, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(all.counters.clamped_times, 2u);
  EXPECT_EQ(all.counters.unlikely_times, 2u);
}

TEST(PcapngDecoder, CountsTimesBefore1970AndAfter2106) {
  PcapngWriter capture;
  capture.section().interface();
  capture.interface(1, 0, capture.offset_option(-2));
  constexpr std::uint64_t second = 1'000'000, end = (std::uint64_t{1} << 32) * second;
  capture.enhanced(0, 0, 1).enhanced(0, end - 1, 1).enhanced(0, end, 1);
  capture.enhanced(1, 2 * second, 1).enhanced(1, 2 * second - 1, 1);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 5u);
  EXPECT_EQ(all.counters.unlikely_times, 2u) << "the third and the last";
  EXPECT_EQ(all.counters.clamped_times, 0u);
}

TEST(PcapngDecoder, CutsASimplePacketToTheSnapLength) {
  PcapngWriter capture;
  capture.section().interface(1, 40).simple(100, 40).simple(30, 30);
  const ReadAll all = read(capture);
  ASSERT_EQ(all.packets.size(), 2u);
  EXPECT_EQ(all.packets[0].time_ns, 0);
  EXPECT_EQ(all.packets[0].length, 100u);
  EXPECT_EQ(all.packets[0].bytes, counting_bytes(40));
  EXPECT_EQ(all.packets[1].bytes, counting_bytes(30));
}

TEST(PcapngDecoder, SkipsWhatIsWrongInsideABlock) {
  PcapngWriter capture;
  capture.section().interface().enhanced(0, 1, 20);
  capture.enhanced(9, 2, 20);  // no such interface
  capture.block(6, capture.body().u32(0).u32(0).u32(3).u32(5000).u32(5000).counting(
                       20));  // longer than itself
  capture.block(1, capture.body().u16(1).u16(0).u32(0).u16(9).u16(2000).u32(0));  // bad option
  capture.enhanced(0, 4, 20).enhanced(1, 5, 20);
  const ReadAll all = read(capture);
  EXPECT_EQ(all.packets.size(), 3u);
  EXPECT_EQ(all.counters.bad_blocks, 3u);
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_EQ(all.warnings[0], "a.pcapng: packet 2 is of interface 9, which is not described");
}

TEST(PcapngDecoder, ForgetsInterfacesAtANewSection) {
  PcapngWriter capture;
  capture.section().interface().enhanced(0, 1, 20).section().enhanced(0, 2, 20);
  const ReadAll all = read(capture);
  EXPECT_EQ(all.packets.size(), 1u);
  EXPECT_EQ(all.counters.bad_blocks, 1u);
}

TEST(PcapngDecoder, CountsPacketsOfUnknownLinkTypes) {
  PcapngWriter capture;
  capture.section().interface(189).interface(1);
  capture.enhanced(0, 1, 20).enhanced(1, 2, 20).enhanced(0, 3, 20);
  const ReadAll all = read(capture);
  EXPECT_EQ(all.packets.size(), 1u);
  EXPECT_EQ(all.counters.unknown_link, 2u);
  ASSERT_EQ(all.warnings.size(), 1u);
  EXPECT_EQ(
      all.warnings[0].substr(0, 88),
      "a.pcapng: packet 1 and others are skipped: link type 189 (USB_LINUX) is not supported; s");
}

struct Lie {
  std::uint32_t type, size, trailer;
  std::string warning;
};

TEST(PcapngDecoder, StopsAtALyingOutline) {
  const std::vector<Lie> lies = {
      {6, 63, 63, "a block of type 0x6 claims 63 bytes after packet 1; reading stops there"},
      {6, 28, 28, "a block of type 0x6 claims 28 bytes after packet 1; reading stops there"},
      {6, 0x7fff'fffc, 0,
       "a block of type 0x6 claims 2147483644 bytes after packet 1; reading stops there"},
      {6, 64, 60, "a block of 64 bytes ends with length 60 after packet 1; reading stops there"},
      {77, 8, 8, "a block of type 0x4d claims 8 bytes after packet 1; reading stops there"},
      {77, 0, 0, "a block of type 0x4d claims 0 bytes after packet 1; reading stops there"},
      {77, 64, 99, "a block of 64 bytes ends with length 99 after packet 1; reading stops there"},
      {1, 16, 16, "a block of type 0x1 claims 16 bytes after packet 1; reading stops there"},
  };
  for (const Lie& lie : lies) {
    PcapngWriter capture;
    capture.section().interface().enhanced(0, 1, 20);
    capture.u32(lie.type).u32(lie.size).counting(52).u32(lie.trailer);
    capture.enhanced(0, 2, 20);
    for (const std::size_t chunk : {0u, 9u}) {
      const ReadAll all = read(capture, chunk);
      EXPECT_EQ(all.packets.size(), 1u) << lie.warning;
      EXPECT_EQ(all.counters.bad_blocks, 1u) << lie.warning;
      ASSERT_EQ(all.warnings.size(), 1u) << lie.warning;
      EXPECT_EQ(all.warnings[0], "a.pcapng: " + lie.warning);
    }
  }
}

TEST(PcapngDecoder, PassesOverAHugeBlockWithoutKeepingIt) {
  PcapngWriter capture;
  capture.section().interface();
  capture.block(0x0bad, Bytes{std::vector<std::byte>(40'000'000)}).enhanced(0, 1, 20);
  const ReadAll all = read(capture, 1'000'000);
  EXPECT_EQ(all.packets.size(), 1u);
}

TEST(PcapngDecoder, RefusesWhatOnlyBeginsLikePcapng) {
  PcapngWriter capture;
  capture.block(0x0a0d0d0a, capture.body().u32(0x12345678).u16(1).u16(0).u64(0));
  EXPECT_EQ(open_memory(capture.data, "a").error().message,
            "a: not a capture: begins like pcapng, but with byte-order magic 12345678");
  PcapngWriter newer;
  newer.block(0x0a0d0d0a, newer.body().u32(0x1a2b3c4d).u16(2).u16(0).u64(0));
  EXPECT_EQ(open_memory(newer.data, "a").error().message, "a: pcapng version 2 is not supported");
}

TEST(PcapngDecoder, SaysByWhichInterfaceAPacketCame) {
  PcapngWriter capture{false};
  auto name = capture.body();
  name.u16(2).u16(4);
  for (const char letter : {'e', 't', 'h', '7'}) name.u8(static_cast<std::uint8_t>(letter));
  capture.section().interface().interface(1, 0, name);
  capture.enhanced(0, 1'700'000'000'000'001, 61).enhanced(1, 1'700'000'000'000'002, 61);
  const std::string path =
      testing::TempDir() + "interfaces_" + std::to_string(getpid()) + ".pcapng";
  std::ofstream{path, std::ios::binary}.write(reinterpret_cast<const char*>(capture.data.data()),
                                              static_cast<std::streamsize>(capture.size()));
  const auto names = std::make_shared<NameTable>();
  std::array<Packet, 4> packets;
  const auto source = open_capture(path, names);
  ASSERT_TRUE(source);
  ASSERT_EQ((*source)->next(packets).count, 2u);
  EXPECT_EQ(names->text_of(packets[0].interface), "interface 0");
  EXPECT_EQ(names->text_of(packets[1].interface), "eth7");
  const auto unasked = open_capture(path);
  ASSERT_EQ((*unasked)->next(packets).count, 2u);
  EXPECT_EQ(packets[1].interface, 0) << "nobody asks";
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace sojourn
