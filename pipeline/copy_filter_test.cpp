#include "pipeline/copy_filter.h"

#include <gtest/gtest.h>

#include "wire/test_parse.h"

namespace sojourn {
namespace {

using namespace test;

constexpr std::int64_t microsecond = 1000, millisecond = 1'000'000;

/// A stream of packets through a filter; says of each whether it passed.
class Stream {
 public:
  bool passes(const Bytes& bytes, std::int64_t time_ns, LinkType link = LinkType::raw) {
    Summary summary = summary_of(bytes, link);
    summary.time = timestamp_from_ns(time_ns);
    summary.index = index_++;
    return filter_.remove({&summary, 1}).size() == 1;
  }
  void go_to(std::uint32_t index) { index_ = index; }
  const CopyFilter& filter() const { return filter_; }

 private:
  CopyFilter filter_{test_key};
  std::uint32_t index_ = 0;
};

Bytes segment(std::uint16_t id, const Segment& what = {}, const Ends& ends = {}) {
  Bytes bytes = ipv4(ends, IpProtocol::tcp, tcp(ends, what));
  bytes[4] = static_cast<std::byte>(id >> 8), bytes[5] = static_cast<std::byte>(id);
  return bytes;
}
Bytes changed(Bytes bytes, std::size_t at) {
  bytes.at(at) ^= std::byte{1};
  return bytes;
}

TEST(CopyFilter, RemovesTheSamePacketSeenAgain) {
  Stream stream;
  EXPECT_TRUE(stream.passes(segment(7), 0));
  EXPECT_FALSE(stream.passes(segment(7), 20 * microsecond));
  EXPECT_FALSE(stream.passes(segment(7), 9 * millisecond)) << "a third time";
  EXPECT_EQ(stream.filter().copies(), 2u);
  // A slot is a digest and a time.
  EXPECT_EQ(stream.filter().memory_bytes(), CopyFilter::groups * CopyFilter::slots_per_group * 8);
}

TEST(CopyFilter, OverlooksWhatChangesOnTheWay) {
  Stream stream;
  const Bytes once = segment(7);
  EXPECT_TRUE(stream.passes(once, 0));
  EXPECT_FALSE(stream.passes(changed(once, 8), 100)) << "TTL";
  EXPECT_FALSE(stream.passes(changed(once, 1), 200)) << "DSCP and ECN";
  EXPECT_FALSE(stream.passes(changed(once, 10), 300)) << "header checksum";
  EXPECT_FALSE(stream.passes(ethernet(EtherType::ipv4, once), 400, LinkType::ethernet));
  EXPECT_FALSE(stream.passes(ethernet(EtherType::vlan, bytes_of({0, 5, 8, 0}) + once), 500,
                             LinkType::ethernet));
  EXPECT_FALSE(stream.passes(ipv4({1, 2, 3, 4}, IpProtocol::ipv4, once), 600)) << "in a tunnel";
}

TEST(CopyFilter, LeavesEveryOtherPacket) {
  const Bytes once = segment(7, {.options = aligned_timestamps(1, 2)});
  // Identification, addresses, ports, sequence number, acknowledgment, flags, window, checksum,
  // timestamps: one bit each.
  for (const std::size_t at : {5u, 15u, 19u, 21u, 23u, 27u, 31u, 33u, 35u, 37u, 47u, 51u}) {
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    EXPECT_TRUE(stream.passes(changed(once, at), 100)) << "byte " << at;
  }
  Stream stream;
  EXPECT_TRUE(stream.passes(once, 0));
  EXPECT_TRUE(stream.passes(segment(7, {.options = aligned_timestamps(1, 2), .payload = 11}), 100))
      << "another length";
}

TEST(CopyFilter, TakesALateRepetitionForARetransmission) {
  Stream stream;
  EXPECT_TRUE(stream.passes(segment(7), 0));
  EXPECT_TRUE(stream.passes(segment(7), 11 * millisecond));
  EXPECT_TRUE(stream.passes(segment(8), 11 * millisecond + 1)) << "with a new identification";
}

TEST(CopyFilter, IsStricterWithoutAnIdentification) {
  const Bytes six = ipv6({}, IpProtocol::tcp, tcp({}));
  for (const Bytes& once : {segment(0), six}) {
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    EXPECT_FALSE(stream.passes(once, 900 * microsecond));
    EXPECT_TRUE(stream.passes(once, 900 * microsecond + 2 * millisecond)) << "a retransmission";
  }
  for (const Bytes& once : {segment(0, {.flags = tcp_ack, .payload = 0}),
                            ipv6({}, IpProtocol::tcp, tcp({}, {.flags = tcp_ack, .payload = 0})),
                            segment(0, {.flags = tcp_rst, .payload = 0})}) {
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    EXPECT_TRUE(stream.passes(once, 10 * microsecond)) << "a duplicate acknowledgment or reset";
  }
  Stream stream;
  const Bytes acknowledgment = segment(7, {.flags = tcp_ack, .payload = 0});
  EXPECT_TRUE(stream.passes(acknowledgment, 0));
  EXPECT_FALSE(stream.passes(acknowledgment, 10 * microsecond));
  const Bytes syn = segment(0, {.flags = tcp_syn, .payload = 0});
  EXPECT_TRUE(stream.passes(syn, 0));
  EXPECT_FALSE(stream.passes(syn, 10 * microsecond));
}

TEST(CopyFilter, KnowsDatagramsAndEchoes) {
  const auto twice = [](const Bytes& once) {
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    return stream.passes(once, 100 * microsecond);
  };
  EXPECT_FALSE(twice(ipv6({}, IpProtocol::udp, udp(40000, 53, dns(9, false, "a.example")))));
  EXPECT_FALSE(twice(ipv6({}, IpProtocol::icmpv6, echo(128, 5, 6))));
  EXPECT_FALSE(twice(ipv4({}, IpProtocol::udp, udp(123, 123, ntp(NtpMode::client, 1, 2)))));
  EXPECT_FALSE(twice(ipv6({}, IpProtocol::udp, udp(40000, 443, bytes_of({0x40}) + zeros(60)))));
}

TEST(CopyFilter, DoesNotJudgeWhatIsBehindOptionsItDoesNotRead) {
  const Bytes ping = bytes_of({58, 0, 30, 4, 1, 2, 3, 4}) + echo(128, 5, 6);
  Stream stream;
  EXPECT_TRUE(stream.passes(ipv6({}, IpProtocol::destination_options, ping), 0));
  EXPECT_TRUE(stream.passes(ipv6({}, IpProtocol::destination_options, changed(ping, 7)), 100));
}

TEST(CopyFilter, FindsTcpBehindOtherHeaders) {
  // Next header, length, and for the authentication header in words less two.
  const Bytes options = bytes_of({6, 0, 1, 4, 0, 0, 0, 0}), fragment = bytes_of({6}) + zeros(7),
              authentication = bytes_of({6, 4, 0, 0}) + zeros(20), last = tcp({});
  const std::vector<Bytes> packets{
      ipv6({}, IpProtocol::destination_options, options + last),
      ipv6({}, IpProtocol::fragment, fragment + last),
      ipv6({}, IpProtocol::authentication, authentication + last),
      ipv4({}, IpProtocol::authentication, authentication + last),
  };
  for (const Bytes& once : packets) {
    const std::size_t at = once.size() - last.size();
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    EXPECT_TRUE(stream.passes(changed(once, at + 15), 100)) << "another window";
    EXPECT_TRUE(stream.passes(changed(once, at + 17), 200)) << "another checksum";
    EXPECT_FALSE(stream.passes(changed(once, at + 17), 300)) << "a copy";
  }
}

TEST(CopyFilter, LeavesResponsesWithoutAnIdentification) {
  for (const Bytes& once : {ipv6({}, IpProtocol::icmpv6, echo(129, 5, 6)),
                            ipv6({}, IpProtocol::udp, udp(53, 40000, dns(9, true, "a.example"))),
                            ipv6({}, IpProtocol::udp, udp(123, 123, ntp(NtpMode::server, 1, 2)))}) {
    Stream stream;
    EXPECT_TRUE(stream.passes(once, 0));
    EXPECT_TRUE(stream.passes(once, 10 * microsecond));
  }
}

// All packets of a QUIC connection begin alike, and their checksums are not filled in yet where
// they are sent.
TEST(CopyFilter, DoesNotMixUpQuicPackets) {
  const Bytes once = ipv6({}, IpProtocol::udp, udp(40000, 443, bytes_of({0x40}) + zeros(60)));
  Stream stream;
  EXPECT_TRUE(stream.passes(once, 0));
  EXPECT_TRUE(stream.passes(changed(once, 40 + 8 + 21 + 3), 10));

  const auto cut = [](Bytes bytes) {
    Summary summary = summary_of(bytes, LinkType::raw);
    summary.ip_captured = 40 + 8 + 21;
    return summary;
  };
  CopyFilter filter{test_key};
  std::array batch{cut(once), cut(once)};
  EXPECT_EQ(filter.remove(batch).size(), 2u) << "cut before the bytes that differ";
}

TEST(CopyFilter, KeepsTheOrderOfTheRest) {
  std::vector<Bytes> packets;
  for (std::uint16_t i = 0; i < 60; ++i)
    packets.push_back(segment(static_cast<std::uint16_t>(1 + i / 2)));
  std::vector<Summary> batch;
  for (std::uint32_t i = 0; i < packets.size(); ++i) {
    batch.push_back(summary_of(packets[i], LinkType::raw));
    batch.back().index = i;
  }
  CopyFilter filter{test_key};
  const auto rest = filter.remove(batch);
  ASSERT_EQ(rest.size(), 30u);
  for (std::uint32_t i = 0; i < rest.size(); ++i) EXPECT_EQ(rest[i].index, 2 * i);
}

// Where no copies were found, most packets are not looked at; where one was, all are.
TEST(CopyFilter, LooksNowAndThenUntilThereIsACopy) {
  constexpr std::uint32_t quiet = 5 * CopyFilter::windows_from + CopyFilter::window;
  static_assert(quiet > CopyFilter::first_packets);
  Stream stream;
  EXPECT_TRUE(stream.passes(segment(1), 0));
  stream.go_to(CopyFilter::first_packets - 1);
  EXPECT_FALSE(stream.passes(segment(1), 1)) << "all of the first are looked at";

  Stream late;
  late.go_to(quiet);
  EXPECT_TRUE(late.passes(segment(1), 0));
  EXPECT_TRUE(late.passes(segment(1), 1)) << "nothing has been found, and it is not the turn";
  late.go_to(6 * CopyFilter::windows_from);
  EXPECT_TRUE(late.passes(segment(2), 2));
  EXPECT_FALSE(late.passes(segment(2), 3)) << "a window";
  late.go_to(6 * CopyFilter::windows_from + CopyFilter::patience - 10);
  EXPECT_TRUE(late.passes(segment(3), 4));
  EXPECT_FALSE(late.passes(segment(3), 5)) << "now all are looked at";
  late.go_to(6 * CopyFilter::windows_from + 3 * CopyFilter::patience + CopyFilter::window);
  EXPECT_TRUE(late.passes(segment(4), 6));
  EXPECT_TRUE(late.passes(segment(4), 7)) << "for as long as there are copies";
}

TEST(CopyFilter, LooksAtAWindowInTheMiddleOfABatch) {
  CopyFilter filter{test_key};
  const Bytes once = segment(9), other = segment(10);
  std::array batch{summary_of(other, LinkType::raw), summary_of(once, LinkType::raw),
                   summary_of(once, LinkType::raw), summary_of(other, LinkType::raw)};
  constexpr std::uint32_t start = 7 * CopyFilter::windows_from;
  batch[0].index = start - 1, batch[1].index = start, batch[2].index = start + 1;
  batch[3].index = start + CopyFilter::window;
  EXPECT_EQ(filter.remove(batch).size(), 3u);
}

}  // namespace
}  // namespace sojourn
