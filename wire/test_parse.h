#pragma once
// One packet through a fresh parser.

#include <gtest/gtest.h>

#include <optional>

#include "wire/parser.h"
#include "wire/test_packets.h"

namespace sojourn::test {

inline const HashKey test_key = HashKey::from_seed(1);

/// The packet's summary, or the counter that increased.
struct Outcome {
  std::optional<Summary> summary;
  std::optional<Skip> skip;
};

inline Outcome parse(const Packet& packet, KindSet wanted = KindSet::all()) {
  Parser parser{test_key, wanted};
  Summary summary;
  const std::size_t written = parser.summarize({&packet, 1}, {&summary, 1}, 9);
  EXPECT_EQ(written + parser.skipped().total(), 1u) << "a packet ends in exactly one place";
  if (written == 1) return {summary, std::nullopt};
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    if (parser.skipped()[static_cast<Skip>(i)] == 1) return {std::nullopt, static_cast<Skip>(i)};
  return {};
}

inline Outcome parse(const Bytes& bytes, LinkType link = LinkType::ethernet) {
  return parse(packet_of(bytes, link));
}

/// The summary of a packet that must have one.
inline Summary summary_of(const Bytes& bytes, LinkType link = LinkType::ethernet) {
  const Outcome outcome = parse(bytes, link);
  EXPECT_TRUE(outcome.summary) << "skipped: " << (outcome.skip ? name_of(*outcome.skip) : "?");
  return outcome.summary.value_or(Summary{});
}

/// Compares everything except where the bytes are and their VLAN.
inline void expect_same_content(const Summary& a, const Summary& b) {
  EXPECT_EQ(a.flow, b.flow);
  EXPECT_EQ(a.token(), b.token());
  EXPECT_EQ(a.ts_value, b.ts_value);
  EXPECT_EQ(a.ts_echo, b.ts_echo);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.ip_captured, b.ip_captured);
  EXPECT_EQ(a.payload_offset, b.payload_offset);
  EXPECT_EQ(a.source_port, b.source_port);
  EXPECT_EQ(a.destination_port, b.destination_port);
  EXPECT_EQ(a.window, b.window);
  EXPECT_EQ(a.content, b.content);
  EXPECT_EQ(a.tcp_flags, b.tcp_flags);
  EXPECT_EQ(a.source_is_low, b.source_is_low);
  EXPECT_EQ(a.has_timestamps, b.has_timestamps);
  EXPECT_EQ(a.is_ipv6, b.is_ipv6);
  EXPECT_EQ(a.first_fragment, b.first_fragment);
  EXPECT_EQ(a.quic_spin, b.quic_spin);
  EXPECT_EQ(a.quic_initial, b.quic_initial);
}

}  // namespace sojourn::test
