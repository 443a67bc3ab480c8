#include "export/sample_csv.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Sample sample() {
  Sample sample;
  sample.time = timestamp_from_ns(1'794'052'800'000'000'001);
  sample.delay = 20'310'456ns;
  sample.requester = *IpAddress::parse("192.0.2.1");
  sample.responder = *IpAddress::parse("255.100.10.9");
  sample.requester_port = 40'000;
  sample.responder_port = 443;
  return sample;
}

/// The content of the file when `samples` are written.
std::string written(const std::vector<Sample>& samples) {
  std::FILE* const file = std::tmpfile();
  auto output = OutputFile::open("/dev/fd/" + std::to_string(fileno(file)));
  SampleCsvWriter writer{*output};
  for (const Sample& sample : samples) writer.write(sample);
  writer.flush();
  EXPECT_TRUE(output->finish());
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

constexpr std::string_view header =
    "time_ns,kind,leg,requester,requester_port,responder,responder_port,delay_ns,weight\n";

TEST(SampleCsvWriter, WritesTheAgreedColumns) {
  Sample second = sample();
  second.kind = Kind::tcp_ts;
  second.leg = Leg::external;
  second.requester = *IpAddress::parse("2001:db8::1");
  second.delay = -5ns;
  second.weight = 2.5;
  EXPECT_EQ(written({sample(), second}),
            std::string{header} +
                "1794052800000000001,tcp,server,192.0.2.1,40000,255.100.10.9,443,20310456,1\n"
                "1794052800000000001,tcp-ts,external,2001:db8::1,40000,255.100.10.9,443,-5,2.5\n");
}

TEST(SampleCsvWriter, WritesTheHeaderEvenWithoutSamples) { EXPECT_EQ(written({}), header); }

TEST(SampleCsvWriter, LosesNothingBetweenItsBuffers) {
  std::vector<Sample> samples(20'000, sample());
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i].delay = Duration{static_cast<std::int64_t>(i)};
  std::istringstream lines{written(samples)};
  std::string line;
  std::getline(lines, line);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    ASSERT_TRUE(std::getline(lines, line)) << i;
    ASSERT_TRUE(line.ends_with(",443," + std::to_string(i) + ",1")) << line;
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(SampleCsvWriter, HasRoomForTheLongestLine) {
  Sample longest = sample();
  longest.time = timestamp_from_ns(std::numeric_limits<std::int64_t>::min());
  longest.delay = Duration::min();
  longest.kind = Kind::handshake;
  longest.leg = Leg::external;
  longest.weight = -1.2345678901234567e-300;
  longest.requester = longest.responder =
      *IpAddress::parse("1111:2222:3333:4444:5555:6666:255.255.255.255");
  longest.requester_port = longest.responder_port = 65'535;
  const std::string text = written(std::vector<Sample>(5000, longest));
  EXPECT_LT((text.size() - header.size()) / 5000, 256u);
}

TEST(SampleCsvWriter, TellsWhenTheDiskIsFull) {
  auto full = OutputFile::open("/dev/full");
  if (!full) GTEST_SKIP() << "no /dev/full here";
  SampleCsvWriter writer{*full};
  writer.write(sample());
  writer.flush();
  EXPECT_TRUE(full->failed());
  const auto result = full->finish();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace sojourn
