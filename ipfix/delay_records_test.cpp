#include "ipfix/delay_records.h"

#include <gtest/gtest.h>

#include "ipfix/message.h"
#include "ipfix/session.h"

namespace sojourn::ipfix {
namespace {

using namespace std::chrono_literals;

DelayRecord to_prefix(const char* prefix, std::uint8_t length) {
  return {.segment = "north:south",
          .prefix = *IpAddress::parse(prefix),
          .prefix_length = length,
          .from = timestamp_from_ns(1'000'000'000'000),
          .to = timestamp_from_ns(2'000'000'000'000),
          .packets = 1'000,
          .mean = 5ms,
          .min = 4'999'600ns,
          .max = 7ms};
}

/// Every message of the file, by its own length.
std::vector<std::vector<std::byte>> messages_of(const std::vector<std::byte>& file) {
  std::vector<std::vector<std::byte>> messages;
  for (std::size_t at = 0; at + header_bytes <= file.size();) {
    const auto length = load<std::uint16_t>(file.data() + at + 2);
    messages.emplace_back(file.begin() + static_cast<std::ptrdiff_t>(at),
                          file.begin() + static_cast<std::ptrdiff_t>(at + length));
    at += length;
  }
  return messages;
}

TEST(DelayRecords, HoldMeanLeastMostAndSumInMicroseconds) {
  const std::vector<DelayRecord> records{to_prefix("198.51.100.0", 24)};
  const auto messages = messages_of(delay_file(records, timestamp_from_ns(3'000'000'000'000)));
  ASSERT_EQ(messages.size(), 1u);
  const std::byte* const end = messages[0].data() + messages[0].size();
  EXPECT_EQ(load<std::uint32_t>(messages[0].data() + 4), 3'000u);
  EXPECT_EQ(load<std::uint64_t>(end - 8), 5'000'000u);
  EXPECT_EQ(load<std::uint32_t>(end - 12), 7'000u);
  EXPECT_EQ(load<std::uint32_t>(end - 16), 5'000u) << "rounded";
  EXPECT_EQ(load<std::uint32_t>(end - 20), 5'000u);
  EXPECT_EQ(load<std::uint64_t>(end - 28), 1'000u);
  EXPECT_EQ(load<std::uint64_t>(end - 36), 2'000'000u);
}

TEST(DelayRecords, AreReadByADecoderWithoutTrouble) {
  std::vector<DelayRecord> records(2'000, to_prefix("198.51.100.0", 24));
  records.push_back(to_prefix("2001:db8::", 48));
  records.push_back(to_prefix("198.51.100.0", 24));
  records.back().segment = "south:north";
  Session session;
  PointReport report;
  std::uint64_t data_records = 0;
  const auto messages = messages_of(delay_file(records, timestamp_from_ns(3'000'000'000'000)));
  EXPECT_GT(messages.size(), 3u);
  for (const auto& message : messages) {
    const Decoded decoded = session.decode(message, report);
    EXPECT_TRUE(decoded.framed);
    data_records += decoded.data_records;
  }
  EXPECT_EQ(data_records, records.size());
  EXPECT_EQ(session.troubles().total(), 0u);
}

TEST(DelayRecords, LeaveOutWhatUnsignedNumbersCannotTell) {
  DelayRecord record = to_prefix("198.51.100.0", 24);
  EXPECT_TRUE(can_be_told(record));
  record.min = -1us;
  EXPECT_FALSE(can_be_told(record)) << "clocks differ by more than the delay";
  record = to_prefix("198.51.100.0", 24);
  record.max = 2h;
  EXPECT_FALSE(can_be_told(record));
  record = to_prefix("198.51.100.0", 24);
  record.packets = 0;
  EXPECT_FALSE(can_be_told(record));
  EXPECT_FALSE(is_negative(record)) << "the reason is another";
}

// Between others, and alone: what is left out has no number in the sequence either.
TEST(DelayRecords, AreWrittenWithoutThoseThatCannotBeTold) {
  const DelayRecord told = to_prefix("198.51.100.0", 24);
  DelayRecord negative = told;
  negative.mean = negative.min = -1ms;
  const Timestamp now = timestamp_from_ns(3'000'000'000'000);
  const std::vector<DelayRecord> all(2'000, told);
  std::vector<DelayRecord> mixed = all;
  mixed.insert(mixed.begin() + 1'000, negative);
  mixed.insert(mixed.begin(), negative);
  mixed.push_back(negative);
  EXPECT_EQ(delay_file(mixed, now), delay_file(all, now));
  Session session;
  PointReport report;
  for (const auto& message : messages_of(delay_file({&negative, 1}, now)))
    EXPECT_EQ(session.decode(message, report).data_records, 0u);
}

TEST(DelayRecords, TellOfSegmentsWithMorePacketsThan32BitsCount) {
  DelayRecord record = to_prefix("198.51.100.0", 24);
  record.packets = std::uint64_t{1} << 40;
  ASSERT_TRUE(can_be_told(record));
  const auto messages = messages_of(delay_file({&record, 1}, timestamp_from_ns(3'000'000'000'000)));
  const std::byte* const end = messages[0].data() + messages[0].size();
  EXPECT_EQ(load<std::uint64_t>(end - 28), std::uint64_t{1} << 40);
  EXPECT_EQ(load<std::uint64_t>(end - 8), std::uint64_t{5'000} << 40);
  record.mean = record.max = 1h;
  EXPECT_FALSE(can_be_told(record)) << "the sum has 64 bits";
}

}  // namespace
}  // namespace sojourn::ipfix
