#include "export/oneway/record_csv.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

std::string records_as_csv(std::span<const FlowRecord> records) {
  std::string text{record_csv_header};
  for (const FlowRecord& record : records) append_record(text, record);
  return text;
}

Result<std::vector<FlowRecord>> records_from_csv(std::string_view text) {
  RecordCsvReader reader{std::string{text}};
  return all_records(reader);
}

TEST(RecordCsv, ComesBackAsItWasWritten) {
  std::vector<FlowRecord> records;
  for (std::uint32_t i = 0; i < 20; ++i)
    records.push_back({.key = test_flow_key(i),
                       .packets = i + 1,
                       .bytes = i * 1000,
                       .first = test_time(i * 1s),
                       .last = test_time(i * 2s),
                       .first_label = 0xffff'ffff - i,
                       .last_label = i,
                       .tcp_flags = static_cast<std::uint8_t>(i),
                       .expiry = static_cast<Expiry>(i % ExpiryCounters::size),
                       .moment_squares = 7 * i});
  records[3].key.source = *IpAddress::parse("2001:db8::1");
  const auto back = records_from_csv(records_as_csv(records));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, records);
  EXPECT_TRUE(records_from_csv(record_csv_header)->empty());
}

TEST(RecordCsv, ReadsRecordsThatTellNothingOfMoments) {
  const std::string line = "6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active";
  const auto without = records_from_csv(std::string{short_record_csv_header} + line + "\n");
  ASSERT_TRUE(without) << without.error().message;
  EXPECT_EQ(without->front().moment_squares, 0u);
  const auto with = records_from_csv(std::string{record_csv_header} + line + ",5\n");
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_EQ(with->front().moment_squares, 5u);
  const auto half = records_from_csv(std::string{record_csv_header} + line + "\n");
  ASSERT_FALSE(half);
  EXPECT_EQ(half.error().message, "line 2: '' is not valid as moment_squares");
}

TEST(RecordCsv, SaysWhatIsWrongAndWhere) {
  const std::string good = "6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active\n";
  const auto complaint = [](const std::string& lines) {
    const auto records = records_from_csv(std::string{short_record_csv_header} + lines);
    return records ? "" : records.error().message;
  };
  EXPECT_EQ(complaint(good), "");
  EXPECT_EQ(complaint(good + "6,10.0.0.1,1,10.0.0.2,2,3,400,9,6,7,8,0,active\n"),
            "line 3: last_ns is before first_ns");
  EXPECT_EQ(complaint("6,10.0.0,1,10.0.0.2,2,3,400,5,6,7,8,0,active\n"),
            "line 2: '10.0.0' is not valid as source");
  EXPECT_EQ(complaint("6,10.0.0.1,70000,10.0.0.2,2,3,400,5,6,7,8,0,active\n"),
            "line 2: '70000' is not valid as source_port");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,bored\n"),
            "line 2: 'bored' is not valid as expiry");
  EXPECT_EQ(complaint("6,10.0.0.1,1\n"), "line 2: '' is not valid as destination");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active,9\n"),
            "line 2: '9' is not valid as end of line");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,0,400,5,6,7,8,0,active\n"),
            "line 2: '0' is not valid as packets");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,9223372036854775807,7,8,0,active\n"),
            "line 2: '9223372036854775807' is not valid as last_ns");
  EXPECT_FALSE(records_from_csv("protocol,source\n"));
}

TEST(RecordCsv, ReadsInBatchesOfAnySize) {
  std::vector<FlowRecord> records;
  for (std::uint32_t i = 0; i < 10; ++i)
    records.push_back({.key = test_flow_key(i), .packets = i + 1, .first_label = i});
  RecordCsvReader reader{records_as_csv(records)};
  std::vector<FlowRecord> batch(3), back;
  while (const auto count = reader.next(batch)) {
    if (*count == 0) break;
    back.insert(back.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(*count));
  }
  EXPECT_EQ(back, records);
}

TEST(RecordCsv, AFileComesBackAndAPointWithoutRecordsLeavesNone) {
  const std::string path = testing::TempDir() + "record_csv_" + std::to_string(getpid()) + ".csv";
  std::filesystem::remove(path);
  RecordCsvWriter{*OutputFile::open(path)}.take({});
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(holds_records(path));

  const std::vector<FlowRecord> records = {{.key = test_flow_key(1), .packets = 5}};
  RecordCsvWriter writer{*OutputFile::open(path)};
  writer.take(records);
  writer.take(records);
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(holds_records(path));
  auto reader = RecordCsvReader::open(path);
  ASSERT_TRUE(reader);
  const auto back = all_records(*reader);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, (std::vector<FlowRecord>{records[0], records[0]}));
  std::filesystem::remove(path);
}

TEST(RecordCsv, SaysWhatCannotBeRead) {
  const auto reader = RecordCsvReader::open("/nonexistent/records.csv");
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().message, "cannot open /nonexistent/records.csv");
}

TEST(RecordCsv, SaysWhatCannotBeWritten) {
  RecordCsvWriter writer{*OutputFile::open("/dev/full")};
  writer.take(std::vector<FlowRecord>{{.key = test_flow_key(1), .packets = 5}});
  const auto done = writer.finish();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "cannot write /dev/full: No space left on device");
}

}  // namespace
}  // namespace sojourn
