#include "capture/capture_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "capture/files/open.h"

namespace sojourn {
namespace {

TEST(CaptureWriter, WritesWhatTheReaderReads) {
  const std::string path =
      testing::TempDir() + "capture_writer_" + std::to_string(getpid()) + ".pcap";
  constexpr std::uint32_t packets = 3'000;  // several blocks
  const std::vector<std::byte> bytes(1'400, std::byte{0x5a});
  auto writer = CaptureWriter::open(path, LinkType::raw);
  ASSERT_TRUE(writer) << writer.error().message;
  for (std::uint32_t i = 0; i < packets; ++i)
    writer->write(timestamp_from_ns(1'700'000'000'000'000'001 + i),
                  std::span{bytes}.first(i % 1'400), i % 1'400 + 7);
  ASSERT_TRUE(writer->finish());

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

TEST(CaptureWriter, SaysWhyItCannotWrite) {
  const auto nowhere = CaptureWriter::open("/nonexistent/a.pcap", LinkType::ethernet);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "cannot write /nonexistent/a.pcap: No such file or directory");
  auto full = CaptureWriter::open("/dev/full", LinkType::ethernet);
  ASSERT_TRUE(full);
  const auto finished = full->finish();
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().message, "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace sojourn
