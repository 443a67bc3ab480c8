#include "ipfix/message_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ipfix/point_templates.h"

namespace sojourn::ipfix {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

struct Written {
  std::vector<std::vector<std::byte>> messages;
  std::vector<Message> about;

  MessageWriter::Take take() {
    return [this](const Message& message) {
      messages.emplace_back(message.bytes.begin(), message.bytes.end());
      about.push_back(message);
    };
  }
};

FlowRecord a_flow() {
  FlowRecord record;
  record.key = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"), 0x1234, 443, 6};
  record.packets = 3;
  record.bytes = 0x1000;
  record.first = timestamp_from_ns(1'700'000'000'500'000'000);
  record.last = timestamp_from_ns(1'700'000'001'000'000'000);
  record.first_label = 0xdeadbeef;
  record.last_label = 0xcafef00d;
  record.tcp_flags = 0x1b;
  record.expiry = Expiry::closed;
  record.moment_squares = 5;
  return record;
}

TEST(MessageWriter, WritesAFlowByteForByte) {
  Written written;
  MessageWriter writer{{.domain = 7}, written.take()};
  writer.begin({"north", 0x1122334455667788}, 9, timestamp_from_ns(1'700'000'002'000'000'000));
  writer.flows(std::vector{a_flow()});
  writer.end();
  ASSERT_EQ(written.messages.size(), 1u);
  EXPECT_EQ(hex(written.messages[0]),
            // header: version 10, length 138, export time, sequence, domain
            "000a008a"
            "6553f102"
            "00000000"
            "00000007"
            // report set 260, 38 bytes: domain, instance, number, time, name
            "01040026"
            "00000007"
            "1122334455667788"
            "0000000000000009"
            "e8fe6f8200000000"
            "056e6f727468"
            // flow set 256, 84 bytes: addresses, ports, protocol, end reason, flags
            "01000054"
            "c0000201"
            "c6336402"
            "1234"
            "01bb"
            "06"
            "03"
            "001b"
            "0000000000000003"
            "0000000000001000"
            "e8fe6f8080000000"
            "e8fe6f8100000000"  // NTP: half a second is 0x80000000
            "0000018bcfe569f4"
            "0000018bcfe56be8"  // milliseconds
            "deadbeef"
            "cafef00d"
            "0000000000000005");
  EXPECT_EQ(written.about[0].data_records, 2u);
  EXPECT_EQ(written.about[0].flow_records, 1u);
  EXPECT_EQ(written.about[0].packets, 3u);
  EXPECT_EQ(writer.next_number(), 10u);
}

TEST(MessageWriter, AnnouncesTemplatesByteForByte) {
  const auto messages = template_messages({.domain = 7}, timestamp_from_ns(0));
  ASSERT_EQ(messages.size(), 1u);
  const std::string text = hex(messages[0]);
  // Clock, an options template with one scope: 149, 325, and two of enterprise 32473 (0x7ed9).
  EXPECT_NE(text.find("00030022"
                      "0106"
                      "0004"
                      "0001"
                      "0095"
                      "0004"
                      "0145"
                      "0008"
                      "8006"
                      "0001"
                      "00007ed9"
                      "8007"
                      "0008"
                      "00007ed9"),
            std::string::npos)
      << text;
}

TEST(MessageWriter, NoMessageIsLongerThanAsked) {
  for (const std::size_t most : {std::size_t{1'000}, datagram_bytes, most_message_bytes}) {
    Written written;
    const WriterOptions options{.most_bytes = most};
    MessageWriter writer{options, written.take()};
    writer.begin({std::string(300, 'x'), 1}, 1, timestamp_from_ns(0));
    writer.flows(std::vector<FlowRecord>(5'000, a_flow()));
    writer.counters({});
    writer.end();
    std::uint64_t flows = 0, packets = 0;
    for (std::size_t i = 0; i < written.messages.size(); ++i) {
      EXPECT_LE(written.messages[i].size(), most);
      EXPECT_EQ(load<std::uint16_t>(written.messages[i].data() + 2), written.messages[i].size());
      flows += written.about[i].flow_records;
      packets += written.about[i].packets;
    }
    EXPECT_EQ(flows, 5'000u);
    EXPECT_EQ(packets, 15'000u);
    EXPECT_EQ(writer.next_number(), written.messages.size() + 1);
    for (const auto& message : template_messages(options, timestamp_from_ns(0)))
      EXPECT_LE(message.size(), most);
  }
}

TEST(MessageWriter, NothingToSayIsNoMessage) {
  Written written;
  MessageWriter writer{{}, written.take()};
  writer.begin({"north", 1}, 1, timestamp_from_ns(0));
  writer.flows({});
  writer.end();
  EXPECT_TRUE(written.messages.empty());
}

TEST(MessageWriter, TheSecretIsNotSent) {
  // hashInitialiserValue (334) would be it.
  for (const Template& announced : point_templates(default_enterprise))
    for (const Field& field : announced.fields)
      EXPECT_FALSE(field.enterprise == iana && field.element == 334);
}

TEST(DomainOf, IsTheSameForeverAndNeverZero) {
  EXPECT_EQ(domain_of("north"), domain_of("north"));
  EXPECT_NE(domain_of("north"), domain_of("south"));
  EXPECT_EQ(domain_of(""), 2'166'136'261u);
}

}  // namespace
}  // namespace sojourn::ipfix
