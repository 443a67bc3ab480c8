#include "capture/files/open.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "capture/test_captures.h"

namespace sojourn {
namespace {

using namespace test;

/// A folder that is deleted with the test.
class OpenCapture : public testing::Test {
 protected:
  OpenCapture() {
    std::string name = (std::filesystem::temp_directory_path() / "sojourn_open_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~OpenCapture() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, std::span<const std::byte> bytes) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string error_of(const std::string& path) const {
    const auto source = open_capture(path);
    return source ? "opened" : source.error().message;
  }
  static ReadAll read(const std::string& path) {
    const auto source = open_capture(path);
    EXPECT_TRUE(source) << source.error().message;
    return source ? read_all(**source, 64) : ReadAll{};
  }

  std::string folder_;
};

PcapWriter thousand_packets() {
  PcapWriter capture;
  for (std::uint32_t i = 0; i < 1000; ++i)
    capture.packet(i, i * 7919 % 1'000'000, i % 200 + i / 10);
  return capture;
}

std::vector<std::byte> gzipped(std::span<const std::byte> plain) {
  z_stream state{};
  ::deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::vector<std::byte> packed(::deflateBound(&state, plain.size()) + 32);
  state.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(plain.data()));
  state.avail_in = static_cast<uInt>(plain.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&state, Z_FINISH), Z_STREAM_END);
  packed.resize(state.total_out);
  ::deflateEnd(&state);
  return packed;
}

std::vector<std::byte> zstd_packed(std::span<const std::byte> plain) {
  const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> state{::ZSTD_createCCtx(),
                                                                      &::ZSTD_freeCCtx};
  ::ZSTD_CCtx_setParameter(state.get(), ZSTD_c_checksumFlag, 1);  // as the zstd program does
  std::vector<std::byte> packed(::ZSTD_compressBound(plain.size()));
  packed.resize(
      ::ZSTD_compress2(state.get(), packed.data(), packed.size(), plain.data(), plain.size()));
  return packed;
}

using Pack = std::vector<std::byte> (*)(std::span<const std::byte>);

std::vector<std::byte> joined(std::vector<std::byte> first, const std::vector<std::byte>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST_F(OpenCapture, MapsAFileAndItsBytesStay) {
  const PcapWriter capture = thousand_packets();
  const auto source = open_capture(write("a.pcap", capture.data));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_TRUE((*source)->bytes_stay());
  EXPECT_LT((*source)->progress(), 0.01);
  std::vector<Packet> first(10), later(990);
  ASSERT_EQ((*source)->next(first).count, 10u);
  ASSERT_EQ((*source)->next(later).count, 990u);
  EXPECT_EQ((*source)->progress(), 1);
  EXPECT_EQ(static_cast<unsigned>(first[9].data[8]), 8u);
  EXPECT_EQ((*source)->counters().packets, 1000u);
}

TEST_F(OpenCapture, ReadsALargeFileAcrossTheStepsOfTheMapping) {
  // More than is kept mapped behind the reader, so that bytes are released on the way.
  PcapWriter capture;
  for (std::uint32_t i = 0; i < 500; ++i) capture.packet(i, 0, 200'000);
  const std::string path = write("large.pcap", capture.data);
  const auto source = open_capture(path);
  ASSERT_TRUE(source);
  std::vector<Packet> batch(3), kept;
  for (Source::Filled filled; !filled.end;) {
    filled = (*source)->next(batch);
    kept.insert(kept.end(), batch.begin(),
                batch.begin() + static_cast<std::ptrdiff_t>(filled.count));
  }
  ASSERT_EQ(kept.size(), 500u);
  for (const Packet& packet : kept) {
    ASSERT_EQ(packet.data[0], std::byte{0});
    ASSERT_EQ(packet.data[199'999], static_cast<std::byte>(199'999 & 0xff));
  }
}

TEST_F(OpenCapture, CompressedCapturesEqualPlainOnes) {
  const PcapWriter capture = thousand_packets();
  const auto plain = read(write("a.pcap", capture.data)).packets;
  ASSERT_EQ(plain.size(), 1000u);
  for (const Pack pack : {&gzipped, &zstd_packed}) {
    const auto packed = pack(capture.data);
    const ReadAll whole = read(write("a.packed", packed));
    EXPECT_EQ(whole.packets, plain);
    EXPECT_EQ(whole.counters.cut_files, 0u);
    EXPECT_TRUE(whole.warnings.empty());
    for (const std::size_t chunk : {1u, 1000u}) {  // as through a pipe
      const auto source = open_memory(packed, "a", chunk);
      ASSERT_TRUE(source) << source.error().message;
      EXPECT_FALSE((*source)->bytes_stay());
      EXPECT_EQ(read_all(**source).packets, plain);
    }
    // Two members or frames, the way "cat a.gz b.gz" joins them.
    const std::span all{capture.data};
    const auto two = joined(pack(all.first(5000)), pack(all.subspan(5000)));
    EXPECT_EQ(read(write("two", two)).packets, plain);
  }
}

TEST_F(OpenCapture, CompressedCapturesCutAnywhereEndOrderly) {
  const PcapWriter capture = thousand_packets();
  const auto plain = read(write("a.pcap", capture.data)).packets;
  for (const Pack pack : {&gzipped, &zstd_packed}) {
    const auto packed = pack(capture.data);
    for (std::size_t cut = 0; cut < packed.size(); cut += cut < 40 ? 1 : 97) {
      const auto source = open_memory(std::span{packed}.first(cut), "a.packed");
      if (!source) {
        EXPECT_TRUE(source.error().message.starts_with("a.packed: ")) << source.error().message;
        continue;
      }
      const ReadAll all = read_all(**source);
      EXPECT_EQ(all.counters.cut_files, 1u) << cut;
      EXPECT_FALSE(all.warnings.empty()) << cut;
      ASSERT_LE(all.packets.size(), plain.size());
      EXPECT_TRUE(std::equal(all.packets.begin(), all.packets.end(), plain.begin())) << cut;
    }
  }
}

TEST_F(OpenCapture, DeliversWhatPrecedesDamageInACompressedCapture) {
  // Eight letters in random order: compressed into many blocks whose codes have no redundancy.
  PcapWriter capture;
  std::uint32_t noise = 1;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    capture.packet_header(i, 0, 100, 100);
    for (int j = 0; j < 100; ++j)
      capture.u8(
          static_cast<std::uint8_t>('a' + ((noise = noise * 1'664'525 + 1'013'904'223) >> 29)));
  }
  const auto plain = read(write("a.pcap", capture.data)).packets;
  for (const Pack pack : {&gzipped, &zstd_packed}) {
    auto packed = pack(capture.data);
    const auto middle = packed.size() / 2;
    for (std::size_t i = middle; i < middle + 64; ++i) packed[i] ^= std::byte{0x55};
    // Either the decompressor or the decoder may notice first.
    const ReadAll all = read(write("damaged", packed));
    ASSERT_GT(all.packets.size(), 5'000u);
    EXPECT_TRUE(std::equal(plain.begin(), plain.begin() + 5'000, all.packets.begin()));
    EXPECT_EQ(all.counters.cut_files + all.counters.bad_blocks, 1u);
    EXPECT_FALSE(all.warnings.empty());
  }
}

TEST_F(OpenCapture, SaysWhenTheChecksumOfACompressedCaptureIsWrong) {
  const PcapWriter capture = thousand_packets();
  for (const Pack pack : {&gzipped, &zstd_packed}) {
    auto packed = pack(capture.data);
    const std::size_t from_end = pack == &gzipped ? 8 : 4;  // gzip adds the length behind it
    packed[packed.size() - from_end] ^= std::byte{1};
    const ReadAll all = read(write("damaged", packed));
    EXPECT_EQ(all.counters.cut_files, 1u);
    EXPECT_GT(all.packets.size(), 100u);
    ASSERT_FALSE(all.warnings.empty());
    EXPECT_NE(all.warnings.back().find("data are damaged"), std::string::npos)
        << all.warnings.back();
  }
}

TEST_F(OpenCapture, NamesWhatIsWrongInOneLine) {
  const auto bytes = [](std::string_view text) { return std::as_bytes(std::span{text}); };
  const std::string missing = folder_ + "/missing.pcap";
  EXPECT_EQ(error_of(missing), "cannot open " + missing + ": No such file or directory");
  EXPECT_EQ(error_of(folder_), folder_ + ": is a directory, not a capture");
  const std::string empty = write("empty", {});
  EXPECT_EQ(error_of(empty), empty + ": is empty");
  const std::string text = write("text", bytes("hello, world"));
  EXPECT_EQ(error_of(text), text + ": not a pcap or pcapng capture: begins with 68 65 6c 6c");
  const std::string tiny = write("tiny", bytes("ab"));
  EXPECT_EQ(error_of(tiny), tiny + ": not a pcap or pcapng capture: begins with 61 62");
  const std::string xz = write("a.pcap.xz", bytes("\xfd"
                                                  "7zXZ and so on"));
  EXPECT_EQ(error_of(xz),
            xz + ": compressed with xz, which is not read here; unpack it first (xz -d)");
  EXPECT_EQ(open_captures({}).error().message, "no capture given");
}

TEST_F(OpenCapture, ReadsANamedPipe) {
  const PcapWriter capture = thousand_packets();
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::thread writer{[&] { write("pipe", capture.data); }};
  const ReadAll all = read(path);
  writer.join();
  EXPECT_EQ(all.packets.size(), 1000u);
  EXPECT_EQ(all.counters.cut_files, 0u);
}

/// Replaces standard input until the end of the scope.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(::dup(STDIN_FILENO)) { ::dup2(fd, STDIN_FILENO); }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST_F(OpenCapture, ReadsStandardInputAndDoesNotWaitForASilentPipe) {
  const PcapWriter capture = thousand_packets();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  ASSERT_EQ(::write(pipe[1], capture.data.data(), 1000), 1000);
  const StandardInput redirected{pipe[0]};
  const auto source = open_capture("-");
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_LT((*source)->progress(), 0);
  std::vector<Packet> batch(1000);
  std::size_t count = (*source)->next(batch).count;
  EXPECT_GT(count, 5u);
  const auto before = std::chrono::steady_clock::now();
  const auto silent = (*source)->next(batch);
  EXPECT_EQ(silent.count, 0u);
  EXPECT_FALSE(silent.end);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds{5});
  std::thread writer{[&] {
    EXPECT_EQ(::write(pipe[1], capture.data.data() + 1000, capture.size() - 1000),
              static_cast<ssize_t>(capture.size() - 1000));
    ::close(pipe[1]);
  }};
  for (Source::Filled filled; !filled.end;) count += (filled = (*source)->next(batch)).count;
  writer.join();
  ::close(pipe[0]);
  EXPECT_EQ(count, 1000u);
  EXPECT_TRUE((*source)->warnings().empty());
}

TEST_F(OpenCapture, DoesNotWaitForASilentPipeOfCompressedBytes) {
  const PcapWriter capture = thousand_packets();
  for (const Pack pack : {&gzipped, &zstd_packed}) {
    const std::span all{capture.data};
    const auto begin = pack(all.first(5000)), rest = pack(all.subspan(5000));
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    ASSERT_EQ(::write(pipe[1], begin.data(), begin.size()), static_cast<ssize_t>(begin.size()));
    const StandardInput redirected{pipe[0]};
    const auto source = open_capture("-");
    ASSERT_TRUE(source) << source.error().message;
    std::vector<Packet> batch(1000);
    std::size_t count = 0;
    Source::Filled filled{.count = 1};
    for (; filled.count > 0; count += filled.count) filled = (*source)->next(batch);
    EXPECT_FALSE(filled.end);
    ASSERT_EQ(::write(pipe[1], rest.data(), rest.size()), static_cast<ssize_t>(rest.size()));
    ::close(pipe[1]);
    while (!filled.end) count += (filled = (*source)->next(batch)).count;
    ::close(pipe[0]);
    EXPECT_EQ(count, 1000u);
  }
}

}  // namespace
}  // namespace sojourn
