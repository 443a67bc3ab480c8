#include "capture/capture_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "capture/files/open.h"

namespace sojourn {
namespace {

TEST(CaptureWriter, WritesWhatTheReaderReads) {
  const std::string path =
      testing::TempDir() + "capture_writer_" + std::to_string(getpid()) + ".pcap";
  constexpr std::uint32_t packets = 3'000;  // several blocks
  const std::vector<std::byte> bytes(1'400, std::byte{0x5a});
  std::ofstream file{path, std::ios::binary};
  CaptureWriter writer{[&](std::string_view block) { file << block; }, LinkType::raw};
  for (std::uint32_t i = 0; i < packets; ++i)
    writer.write(timestamp_from_ns(1'700'000'000'000'000'001 + i),
                 std::span{bytes}.first(i % 1'400), i % 1'400 + 7);
  writer.flush();
  file.close();

  const auto source = open_capture(path);
  ASSERT_TRUE(source) << source.error().message;
  std::vector<Packet> batch(packets + 1);
  std::size_t count = 0;
  for (bool end = false; !end;) {
    const auto filled = (*source)->next(std::span{batch}.subspan(count));
    count += filled.count;
    end = filled.end;
  }
  ASSERT_EQ(count, packets);
  for (std::uint32_t i = 0; i < packets; ++i) {
    EXPECT_EQ(to_ns(batch[i].time), 1'700'000'000'000'000'001 + i);
    EXPECT_EQ(batch[i].captured, i % 1'400);
    EXPECT_EQ(batch[i].length, i % 1'400 + 7);
    EXPECT_EQ(batch[i].link, LinkType::raw);
  }
  std::remove(path.c_str());
}

}  // namespace
}  // namespace sojourn
