#include "ipfix/session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "ipfix/message_writer.h"
#include "ipfix/test_reports.h"

namespace sojourn::ipfix {
namespace {

/// "000a 0010" as bytes.
std::vector<std::byte> bytes_of(const std::string& hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char letter : hex)
    if (letter != ' ') digits += letter;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// A message around sets given as hex, with the right length; domain 1.
std::vector<std::byte> message_of(const std::string& sets, std::uint32_t sequence = 0,
                                  std::uint32_t domain = 1) {
  auto message = bytes_of("000a0000 00000001 00000000 00000000" + sets);
  store(message.data() + 2, static_cast<std::uint16_t>(message.size()));
  store(message.data() + 8, sequence);
  store(message.data() + 12, domain);
  return message;
}

// Template 256: source and destination IPv4, packets in two bytes, label.
const std::string small_template = "0002 0018 0100 0004 0008 0004 000c 0004 0002 0002 0146 0004";

class SessionTest : public testing::Test {
 protected:
  Decoded decode(const std::string& sets) { return session.decode(message_of(sets), report); }
  std::uint64_t count(Trouble trouble) const { return session.troubles()[trouble]; }

  Session session;
  PointReport report;
};

TEST_F(SessionTest, ReadsAStrangersTemplate) {
  const Decoded decoded = decode(small_template + "0100 0012 c0000201 c0000202 0007 01020304");
  EXPECT_TRUE(decoded.framed && decoded.counted && !decoded.from_a_point);
  EXPECT_EQ(decoded.data_records, 1u);
  ASSERT_EQ(report.records.size(), 1u);
  EXPECT_EQ(report.records[0].key.source, *IpAddress::parse("192.0.2.1"));
  EXPECT_EQ(report.records[0].packets, 7u);
  EXPECT_EQ(report.records[0].first_label, 0x01020304u);
  EXPECT_EQ(report.records[0].last_label, 0u);
  EXPECT_EQ(session.troubles().total(), 0u);
}

TEST_F(SessionTest, RemembersATemplateForLaterMessages) {
  decode(small_template);
  EXPECT_EQ(decode("0100 0012 c0000201 c0000202 0007 01020304").data_records, 1u);
  // ... of the same domain only.
  session.decode(message_of("0100 0012 c0000201 c0000202 0007 01020304", 0, 2), report);
  EXPECT_EQ(count(Trouble::without_template), 1u);
}

// Enterprises count from 1 on, and may give any number any meaning.
TEST_F(SessionTest, AnElementOfAnEnterpriseIsNotThatOfTheRegistry) {
  // Template 256: source IPv4, label, and packets by an element 2 of enterprise 1.
  decode("0002 0018 0100 0003 0008 0004 0146 0004 8002 0002 00000001");
  EXPECT_EQ(decode("0100 000e c0000201 01020304 0007").data_records, 1u);
  ASSERT_EQ(report.records.size(), 1u);
  EXPECT_EQ(report.records[0].first_label, 0x01020304u);
  EXPECT_EQ(report.records[0].packets, 0u);
  EXPECT_EQ(session.troubles().total(), 0u);
}

TEST_F(SessionTest, PaddingBehindRecordsIsNoRecord) {
  EXPECT_EQ(
      decode(small_template + "0100 0015 c0000201 c0000202 0007 01020304 000000").data_records, 1u);
  EXPECT_EQ(session.troubles().total(), 0u);
}

TEST_F(SessionTest, VariableLengthsShortAndLong) {
  // Template 257: interfaceName (82) of variable length, source IPv4, label.
  decode("0002 0014 0101 0003 0052 ffff 0008 0004 0146 0004");
  const Decoded decoded = decode("0101 001b 02 6162 c0000201 00000001 ff0001 61 c0000203 00000002");
  EXPECT_EQ(decoded.data_records, 2u);
  ASSERT_EQ(report.records.size(), 2u);
  EXPECT_EQ(report.records[1].key.source, *IpAddress::parse("192.0.2.3"));
  EXPECT_EQ(report.records[1].first_label, 2u);
  EXPECT_TRUE(decoded.counted);
  const Decoded cut = decode("0101 000f 20 6162 c0000201 00000001");
  EXPECT_FALSE(cut.counted);
  EXPECT_EQ(count(Trouble::bad_record), 1u);
}

TEST_F(SessionTest, FlowsWithoutLabelAreCounted) {
  decode("0002 0010 0100 0002 0008 0004 0002 0004");
  EXPECT_EQ(decode("0100 0014 c0000201 00000001 c0000201 00000001").data_records, 2u);
  EXPECT_EQ(report.records_without_label, 2u);
  EXPECT_TRUE(report.records.empty());
  EXPECT_EQ(session.troubles().total(), 0u);
}

TEST_F(SessionTest, TheFinestTimeCounts) {
  // seconds 150, ns 156, ms 152, and a label; whatever their order.
  decode("0002 001c 0100 0005 0008 0004 0146 0004 0096 0004 009c 0008 0098 0008");
  decode("0100 0020 c0000201 00000001 00000005 83aa7e8080000000 0000000000001388");
  ASSERT_EQ(report.records.size(), 1u);
  EXPECT_EQ(to_ns(report.records[0].first), 500'000'000);
}

TEST_F(SessionTest, EveryTroubleIsCountedByItsName) {
  const auto raw = [&](const std::string& hex) { session.decode(bytes_of(hex), report); };
  raw("000a 0010");
  EXPECT_EQ(count(Trouble::short_message), 1u);
  raw("0009 0010 00000000 00000000 00000000");
  EXPECT_EQ(count(Trouble::other_version), 1u);
  raw("000a 0011 00000000 00000000 00000000");
  EXPECT_EQ(count(Trouble::wrong_length), 1u);
  decode("0100 0003");
  decode("0100 0009 00");
  decode("0100");
  EXPECT_EQ(count(Trouble::bad_set), 3u);
  decode("0001 0004 00ff 0004");
  EXPECT_EQ(count(Trouble::reserved_set), 2u);
  decode("0002 000c 00ff 0001 0008 0004");       // number below 256
  decode("0002 000c 0100 0002 0008 0004");       // a field is missing
  decode("0002 000c 0100 0001 0008 0000");       // records of no bytes
  decode("0003 000e 0100 0001 0000 0008 0004");  // options without a scope
  EXPECT_EQ(count(Trouble::bad_template), 4u);
  decode("0100 0008 00000000");
  EXPECT_EQ(count(Trouble::without_template), 1u);
  EXPECT_EQ(session.templates(), 0u);
}

TEST_F(SessionTest, AFloodOfTemplatesIsRefused) {
  const Limits limits{
      .domains = 2, .templates_per_domain = 3, .fields_per_template = 2, .fields = 7};
  Session strict{{.limits = limits}};
  const auto announce = [&](std::uint32_t domain, int id, int fields) {
    std::string set = "0002" + std::string{fields == 1 ? "000c" : fields == 2 ? "0010" : "0014"};
    set += "010" + std::to_string(id) + "000" + std::to_string(fields);
    for (int i = 0; i < fields; ++i) set += "00080004";
    strict.decode(message_of(set, 0, domain), report);
  };
  announce(1, 0, 3);
  EXPECT_EQ(strict.troubles()[Trouble::too_many_fields], 1u);
  for (int id = 0; id < 4; ++id) announce(1, id, 2);
  EXPECT_EQ(strict.templates(), 3u);
  EXPECT_EQ(strict.troubles()[Trouble::too_many_templates], 1u);
  announce(2, 0, 2);  // 8 fields in all
  EXPECT_EQ(strict.troubles()[Trouble::too_many_templates], 2u);
  announce(2, 0, 1);
  announce(3, 0, 1);
  EXPECT_EQ(strict.troubles()[Trouble::too_many_domains], 1u);
  // What goes makes room.
  strict.decode(message_of("0002 0008 0002 0000", 0, 1), report);
  EXPECT_EQ(strict.templates(), 1u);
  announce(1, 5, 2);
  EXPECT_EQ(strict.templates(), 2u);
}

TEST_F(SessionTest, AWithdrawnTemplateIsForgotten) {
  decode(small_template + "0002 0008 0100 0000");
  EXPECT_EQ(session.templates(), 0u);
  decode("0100 0012 c0000201 c0000202 0007 01020304");
  EXPECT_EQ(count(Trouble::without_template), 1u);
}

TEST_F(SessionTest, UnknownElementsAreSteppedOver) {
  // A newer point: an element of ours that nobody knows, and one of another enterprise.
  decode("0002 0020 0100 0004 0008 0004 8063 0003 00007ed9 8001 0002 00000009 0146 0004");
  decode("0100 0011 c0000201 aabbcc ddee 00000009");
  ASSERT_EQ(report.records.size(), 1u);
  EXPECT_EQ(report.records[0].first_label, 9u);
  EXPECT_EQ(report.records[0].moment_squares, 0u);
}

/// decode(encode(report)) == report, whatever it holds and however it is cut into messages.
TEST(SessionProperty, WhatIsWrittenIsRead) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random{seed};
    Selection selection{.hash = seed % 2 ? "bob" : "ipsx",
                        .sampling = std::ldexp(1.0, -static_cast<int>(random() % 20)),
                        .sample_flows = seed % 3 == 0,
                        .secret_fingerprint = random(),
                        .payload_offset = static_cast<std::uint32_t>(random() % 100),
                        .payload_bytes = static_cast<std::uint32_t>(random() % 256)};
    const ClockState clock{seed % 2 == 0, Duration{static_cast<std::int64_t>(random() >> 1)}};
    PointCounters counters;
    for (std::uint64_t* counter :
         {&counters.packets_seen, &counters.packets_not_selected, &counters.packets_selected,
          &counters.packets_in_cache, &counters.packets_exported, &counters.packets_spooled,
          &counters.packets_discarded, &counters.records_exported, &counters.records_spooled,
          &counters.records_discarded, &counters.packets_dropped})
      *counter = random();
    std::vector<FlowRecord> flows(random() % 500);
    for (FlowRecord& flow : flows) flow = random_flow(random);
    std::vector<RttCell> cells(random() % 500);
    for (RttCell& cell : cells) cell = random_cell(random);
    const PointIdentity point{"point-" + std::to_string(seed), random()};
    const Timestamp now = random_time(random);

    const WriterOptions options{.domain = domain_of(point.name),
                                .enterprise = seed % 2 ? default_enterprise : 4'711,
                                .most_bytes = 512 + random() % 4'000};
    Session session{{.enterprise = options.enterprise}};
    PointReport report, all;
    std::uint64_t next = 5;
    const auto take = [&](const Message& message) {
      const Decoded decoded = session.decode(message.bytes, report);
      ASSERT_TRUE(decoded.framed && decoded.counted && decoded.from_a_point);
      EXPECT_EQ(decoded.data_records, message.data_records);
      EXPECT_EQ(report.records.size(), message.flow_records);
      EXPECT_EQ(decoded.header.domain, options.domain);
      EXPECT_EQ(report.point, point);
      EXPECT_EQ(report.number, next++);
      EXPECT_EQ(report.exported, now);
      if (report.selection) all.selection = report.selection;
      if (report.clock) all.clock = report.clock;
      if (report.counters) all.counters = report.counters;
      all.records.insert(all.records.end(), report.records.begin(), report.records.end());
      all.cells.insert(all.cells.end(), report.cells.begin(), report.cells.end());
    };
    for (const auto& message : template_messages(options, now)) session.decode(message, report);
    MessageWriter writer{options, take};
    writer.begin(point, 5, now);
    writer.selection(selection);
    writer.clock(clock);
    writer.flows(flows);
    writer.cells(cells);
    writer.counters(counters);
    writer.end();
    EXPECT_EQ(all.selection, selection);
    EXPECT_EQ(all.clock, clock);
    EXPECT_EQ(all.counters, counters);
    EXPECT_EQ(all.records, flows) << "seed " << seed;
    EXPECT_EQ(all.cells, cells) << "seed " << seed;
    EXPECT_EQ(session.troubles().total(), 0u);
  }
}

// It would reach logs, reports, metrics and the page.
TEST(SessionProperty, ANameThatIsNotPrintableIsRefusedAndCounted) {
  for (const std::string name :
       {"a,b\"c\n\x1b[31m", "\x1b[31m", "north:south", "caf\xe9", "north"}) {
    Session session;
    PointReport report;
    Decoded decoded;
    for (const auto& message : template_messages({}, {})) session.decode(message, report);
    MessageWriter writer{
        {}, [&](const Message& message) { decoded = session.decode(message.bytes, report); }};
    writer.begin({name, 1}, 1, {});
    writer.counters({});
    writer.end();
    const bool good = name == "north";
    EXPECT_EQ(decoded.from_a_point, good) << name;
    EXPECT_EQ(report.point.name, good ? "north" : "") << name;
    EXPECT_EQ(session.troubles()[Trouble::bad_value], good ? 0u : 1u) << name;
    EXPECT_TRUE(decoded.counted) << "the message's records are counted all the same";
  }
}

TEST(SessionProperty, ACellThatCannotBeIsRefused) {
  std::mt19937_64 random{3};
  std::vector<RttCell> cells(4, random_cell(random));
  cells[1].weight = -1;
  cells[2].flow_group = 200;
  Session session;
  PointReport report;
  for (const auto& message : template_messages({}, {})) session.decode(message, report);
  MessageWriter writer{{}, [&](const Message& message) { session.decode(message.bytes, report); }};
  writer.begin({"north", 1}, 1, {});
  writer.cells(cells);
  writer.end();
  EXPECT_EQ(report.cells.size(), 2u);
  EXPECT_EQ(session.troubles()[Trouble::bad_value], 2u);
}

}  // namespace
}  // namespace sojourn::ipfix
