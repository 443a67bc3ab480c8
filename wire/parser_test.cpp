#include "wire/parser.h"

#include <gtest/gtest.h>

#include "wire/dissection.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

const HashKey key = HashKey::from_seed(1);

/// One packet through a fresh parser: its summary, or the counter that rose.
struct Outcome {
  std::optional<Summary> summary;
  std::optional<Skip> skip;
};

Outcome parse(const Packet& packet, KindSet wanted = KindSet::all()) {
  Parser parser{key, wanted};
  Summary summary;
  const std::size_t written = parser.summarize({&packet, 1}, {&summary, 1}, 9);
  EXPECT_EQ(written + parser.skipped().total(), 1u) << "a packet ends in exactly one place";
  if (written == 1) return {summary, std::nullopt};
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    if (parser.skipped()[static_cast<Skip>(i)] == 1) return {std::nullopt, static_cast<Skip>(i)};
  return {};
}

TEST(Parser, SummarizesTcpOverIpv4) {
  const Ends ends;
  const Bytes bytes = ethernet(
      EtherType::ipv4,
      ipv4(ends, IpProtocol::tcp, tcp(ends, {.options = aligned_timestamps(11, 22), .payload = 100})));
  const auto summary = parse(packet_of(bytes)).summary;
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->time, timestamp_from_ns(5));
  EXPECT_EQ(summary->index, 9u);
  EXPECT_EQ(summary->content, Content::tcp);
  EXPECT_EQ(summary->source().to_string(), "192.0.2.1");
  EXPECT_EQ(summary->destination().to_string(), "198.51.100.2");
  EXPECT_EQ(summary->source_port, 40000);
  EXPECT_EQ(summary->destination_port, 443);
  EXPECT_EQ(summary->sequence, 1000u);
  EXPECT_EQ(summary->acknowledgment, 2000u);
  EXPECT_EQ(summary->tcp_flags, tcp_ack | tcp_push);
  EXPECT_EQ(summary->window, 512);
  EXPECT_TRUE(summary->has_timestamps);
  EXPECT_EQ(summary->ts_value, 11u);
  EXPECT_EQ(summary->ts_echo, 22u);
  EXPECT_EQ(summary->payload, 100u);
  EXPECT_EQ(summary->payload_offset, 52);
  EXPECT_EQ(summary->ip_captured, 152);
  EXPECT_EQ(summary->vlan, Sample::no_vlan);
}

TEST(Parser, CountsArpAsNotIp) {
  const Bytes bytes = ethernet(EtherType::arp, zeros(46));
  EXPECT_EQ(parse(packet_of(bytes)).skip, Skip::not_ip);
}

}  // namespace
}  // namespace sojourn
