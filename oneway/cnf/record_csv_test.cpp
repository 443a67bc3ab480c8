#include "oneway/cnf/record_csv.h"

#include <gtest/gtest.h>

#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

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
                       .expiry = static_cast<Expiry>(i % ExpiryCounters::size)});
  records[3].key.source = *IpAddress::parse("2001:db8::1");
  const auto back = records_from_csv(records_as_csv(records));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, records);
  EXPECT_TRUE(records_from_csv(record_csv_header)->empty());
}

TEST(RecordCsv, SaysWhatIsWrongAndWhere) {
  const std::string good = "6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active\n";
  const auto complaint = [](const std::string& lines) {
    const auto records = records_from_csv(std::string{record_csv_header} + lines);
    return records ? "" : records.error().message;
  };
  EXPECT_EQ(complaint(good), "");
  EXPECT_EQ(complaint(good + "6,10.0.0.1,1,10.0.0.2,2,3,400,9,6,7,8,0,active\n"),
            "line 3: last_ns is before first_ns");
  EXPECT_EQ(complaint("6,10.0.0,1,10.0.0.2,2,3,400,5,6,7,8,0,active\n"),
            "line 2: '10.0.0' is no source");
  EXPECT_EQ(complaint("6,10.0.0.1,70000,10.0.0.2,2,3,400,5,6,7,8,0,active\n"),
            "line 2: '70000' is no source_port");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,bored\n"),
            "line 2: 'bored' is no expiry");
  EXPECT_EQ(complaint("6,10.0.0.1,1\n"), "line 2: '' is no destination");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,6,7,8,0,active,9\n"),
            "line 2: '9' is no end of line");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,0,400,5,6,7,8,0,active\n"),
            "line 2: '0' is no packets");
  EXPECT_EQ(complaint("6,10.0.0.1,1,10.0.0.2,2,3,400,5,9223372036854775807,7,8,0,active\n"),
            "line 2: '9223372036854775807' is no last_ns");
  EXPECT_FALSE(records_from_csv("protocol,source\n"));
}

}  // namespace
}  // namespace sojourn
