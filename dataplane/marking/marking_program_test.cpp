// The program in the kernel, one packet at a time.

#include "dataplane/marking/marking_program.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/timex.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace {
int pretended_tai_ahead = 37;
}

/// Instead of the C library's: the kernel's own is the same for the whole machine, and 0 on many.
extern "C" int adjtimex(timex* clock) noexcept {
  clock->tai = pretended_tai_ahead;
  return TIME_OK;
}

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// UDP over IPv4, from 10.0.0.1 to 10.0.0.2.
std::array<std::byte, 60> frame_to(std::uint16_t port) {
  std::array<std::byte, 60> frame{};
  const auto put = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) frame[at++] = static_cast<std::byte>(byte);
  };
  put(12, {8, 0});
  put(14, {0x45, 0, 0, 46, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2});
  put(34, {0x30, 0x39, unsigned{port} >> 8, port & 0xffu, 0, 26, 0, 0});
  return frame;
}

constexpr std::array<std::uint16_t, 3> ports = {53, 123, 443};

/// One flow for each port.  Packets are counted with the time that they say.
Result<MarkingProgram> load(bool copies = false, MarkingDuty duty = MarkingDuty::mark) {
  MarkingProgramOptions options{.setup = {.length = *MarkingInterval::parse("512ms"),
                                          .carrier = *MarkingCarrier::parse("dscp"),
                                          .flows = {}}};
  for (const std::uint16_t port : ports) {
    MarkingFilter filter;
    filter.destination_port = port;
    options.setup.flows.push_back(filter);
  }
  options.leave_local = false;
  options.copies = copies;
  options.duty = duty;
  options.replay = true;
  return MarkingProgram::load(options);
}

constexpr std::int64_t first = 3'000'000'000;  // interval

/// A packet of each flow in each quarter of an interval, so that one of them is its pulse.
void replay_interval(MarkingProgram& program, std::int64_t interval) {
  const auto length = *MarkingInterval::parse("512ms");
  for (int quarter = 0; quarter < 4; ++quarter)
    for (const std::uint16_t port : ports) {
      const auto frame = frame_to(port);
      Packet packet{.time = length.start_of(interval) + length.length() * (2 * quarter + 1) / 8,
                    .data = frame.data(),
                    .captured = frame.size(),
                    .length = frame.size()};
      const auto done = program.replay(packet);
      ASSERT_TRUE(done) << done.error().message;
    }
}

// Each slot says whose it is, on each CPU.
TEST(MarkingProgram, CountsEveryFlowInEverySlot) {
  auto program = load();
  if (!program) GTEST_SKIP() << program.error().message;
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (int cpu = 0; cpu < 2; ++cpu) {
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) continue;
    for (std::int64_t i = first; i < first + program->slots(); ++i) {
      replay_interval(*program, i);
      std::vector<MarkingRecord> records;
      program->take(i, {}, records);
      ASSERT_EQ(records.size(), ports.size()) << i % program->slots();
      for (const MarkingRecord& record : records) {
        EXPECT_EQ(record.packets, 4u);
        EXPECT_EQ(record.pulses, 1u);
      }
    }
  }
  sched_setaffinity(0, sizeof before, &before);
}

// As after a clock was set: what the slot has is of another time.
TEST(MarkingProgram, LeavesOutPulsesFarFromTheirInterval) {
  auto program = load();
  if (!program) GTEST_SKIP() << program.error().message;
  replay_interval(*program, first);
  std::vector<MarkingRecord> records;
  program->take(first + program->slots(), {}, records);
  ASSERT_EQ(records.size(), ports.size());
  EXPECT_EQ(records[0].packets, 4u);
  EXPECT_EQ(records[0].pulses, 0u);
}

TEST(MarkingProgram, AClockThatDidNotStepIsNotSet) {
  for (const int ahead : {0, 37}) {
    pretended_tai_ahead = ahead;
    auto program = load();
    if (!program) GTEST_SKIP() << program.error().message;
    EXPECT_FALSE(program->follow_clock());
  }
}

// More than TAI is ahead, so that no pause of this process looks like it.
TEST(MarkingProgram, AClockThatLearnsOfTaiIsPutRightOnce) {
  pretended_tai_ahead = 0;
  auto program = load();
  if (!program) GTEST_SKIP() << program.error().message;
  const Timestamp before = program->now();
  pretended_tai_ahead = 10'000;
  EXPECT_TRUE(program->follow_clock());
  EXPECT_LT(program->now(), before - 9'000s);
  EXPECT_FALSE(program->follow_clock());
  EXPECT_GT(program->now(), before - 11'000s);
}

TEST(MarkingProgram, ALeapSecondMovesNoInterval) {
  pretended_tai_ahead = 37;
  auto program = load();
  if (!program) GTEST_SKIP() << program.error().message;
  const Timestamp before = program->now();
  for (const int ahead : {38, 39}) {
    pretended_tai_ahead = ahead;
    EXPECT_FALSE(program->follow_clock());
    EXPECT_GE(program->now(), before) << "set back";
  }
}

/// The only flow's record after these frames, all at one moment.
template <class Frame>
MarkingRecord counted(MarkingProgram& program, const std::vector<Frame>& frames) {
  const auto length = *MarkingInterval::parse("512ms");
  for (const Frame& frame : frames) {
    const auto size = static_cast<std::uint32_t>(frame.size());
    const Packet packet{length.start_of(first), frame.data(), size, size};
    const auto done = program.replay(packet);
    EXPECT_TRUE(done) << done.error().message;
  }
  std::vector<MarkingRecord> records;
  program.take(first, {}, records);
  EXPECT_EQ(records.size(), 1u);
  return records.empty() ? MarkingRecord{} : records[0];
}

// Of two copies that went different ways one may have met congestion.
TEST(MarkingProgram, ACopyMayHaveMetCongestion) {
  auto program = load(true);
  if (!program) GTEST_SKIP() << program.error().message;
  const auto frame = frame_to(ports[0]);
  auto congested = frame, another = frame;
  congested[15] = std::byte{3};
  another[19] = std::byte{2};  // its identification
  const MarkingRecord record = counted(*program, std::vector{frame, congested, another});
  EXPECT_EQ(record.packets, 3u);
  EXPECT_EQ(record.repeats, 1u);
}

/// The first fragment of UDP over IPv6, alike but for the number of its packet.
std::array<std::byte, 78> fragment_of(unsigned number) {
  std::array<std::byte, 78> frame{};
  const auto udp = frame_to(ports[0]);
  frame[12] = std::byte{0x86}, frame[13] = std::byte{0xdd};
  frame[14] = std::byte{0x60}, frame[19] = std::byte{24}, frame[20] = std::byte{44};
  frame[22] = frame[38] = std::byte{0x20};
  frame[54] = std::byte{17}, frame[57] = std::byte{1}, frame[61] = std::byte(number);
  std::copy_n(udp.begin() + 34, 8, frame.begin() + 62);
  return frame;
}

TEST(MarkingProgram, FragmentsOfDifferentPacketsAreNoCopies) {
  auto program = load(true);
  if (!program) GTEST_SKIP() << program.error().message;
  const std::vector frames{fragment_of(1), fragment_of(2), fragment_of(3), fragment_of(3)};
  const MarkingRecord record = counted(*program, frames);
  EXPECT_EQ(record.packets, 4u);
  EXPECT_EQ(record.repeats, 1u);
}

// The other points take the bit for a mark, of the wrong colour in the second quarter.
TEST(MarkingProgram, WhatIsMarkedBeforeTheFirstPointIsContraryAtOthersOnly) {
  for (const MarkingDuty duty : {MarkingDuty::mark, MarkingDuty::observe}) {
    auto program = load(false, duty);
    if (!program) GTEST_SKIP() << program.error().message;
    auto frame = frame_to(ports[0]);
    frame[15] = std::byte{1 << 2};
    const auto length = *MarkingInterval::parse("512ms");
    const Packet packet{.time = length.start_of(first) + length.length() * 3 / 8,
                        .data = frame.data(),
                        .captured = frame.size(),
                        .length = frame.size()};
    const auto done = program->replay(packet);
    ASSERT_TRUE(done) << done.error().message;
    std::vector<MarkingRecord> records;
    program->take(first, {}, records);
    ASSERT_EQ(records.size(), 1u);
    const std::uint64_t marks = duty == MarkingDuty::mark;
    EXPECT_EQ(records[0].marked_before, marks);
    EXPECT_EQ(records[0].contrary, 1 - marks);
    EXPECT_EQ(records[0].other, 0u);
  }
}

/// Marks that the option of IPv6 carries.
Result<MarkingProgram> load_for_option(const char* carrier, MarkingDuty duty) {
  MarkingProgramOptions options{.setup = {.length = *MarkingInterval::parse("512ms"),
                                          .carrier = *MarkingCarrier::parse(carrier),
                                          .flows = {MarkingFilter{}}},
                                .duty = duty};
  options.leave_local = false;
  options.replay = true;
  return MarkingProgram::load(options);
}

/// IPv6 with a header for every hop that has only padding, and nothing behind it.
std::vector<std::byte> frame_of_headers_alone() {
  std::vector<std::byte> frame(14 + 40 + 8);
  const auto put = [&](std::size_t at, std::initializer_list<unsigned> bytes) {
    for (const unsigned byte : bytes) frame[at++] = static_cast<std::byte>(byte);
  };
  put(12, {0x86, 0xdd, 0x60, 0, 0, 0, 0, 8, 0, 64});
  put(22, {0x20, 1, 0xd, 0xb8});
  put(37, {1});
  put(38, {0x20, 1, 0xd, 0xb8});
  put(53, {2});
  put(54, {59, 0, 1, 4, 0, 0, 0, 0});
  return frame;
}

// The option's last byte is then the packet's: in a header that was there already, and in one of
// its own behind that.
TEST(MarkingProgram, TakesOutTheOptionThatNothingFollows) {
  const std::vector<std::byte> frame = frame_of_headers_alone();
  const auto length = *MarkingInterval::parse("512ms");
  for (const char* carrier : {"hop-by-hop", "destination"}) {
    auto marking = load_for_option(carrier, MarkingDuty::mark);
    if (!marking) GTEST_SKIP() << marking.error().message;
    auto restoring = load_for_option(carrier, MarkingDuty::restore);
    if (!restoring) GTEST_SKIP() << restoring.error().message;
    const auto pass = [&](MarkingProgram& program, const std::vector<std::byte>& bytes) {
      const auto size = static_cast<std::uint32_t>(bytes.size());
      return program.replay(Packet{.time = length.start_of(first) + length.length() / 8,
                                   .data = bytes.data(),
                                   .captured = size,
                                   .length = size});
    };
    const auto marked = pass(*marking, frame);
    ASSERT_TRUE(marked) << marked.error().message;
    ASSERT_EQ(marked->size(), frame.size() + 8) << carrier;
    const auto restored = pass(*restoring, *marked);
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(*restored, frame) << carrier;
  }
}

}  // namespace
}  // namespace sojourn
