// Every response says whose sample it may become.

#include "roundtrip/rules/sample_flow.h"

#include <gtest/gtest.h>

#include <map>

#include "roundtrip/rules/pairing.h"
#include "roundtrip/rules/test_conversation.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;

/// Responses by kind; each must have the tag that its packet gives.
std::map<Kind, int> tagged_responses(Conversation& talk, KindSet kinds = KindSet::usual()) {
  Pairing pairing{HashKey::from_seed(7), {.kinds = kinds}};
  std::map<Kind, int> responses;
  for (std::size_t start = 0; start < talk.packets().size(); start += 3) {
    const auto rest = std::span{talk.packets()}.subspan(start);
    const auto batch = rest.first(std::min<std::size_t>(rest.size(), 3));
    for (const PairEvent& event : pairing.events(batch)) {
      if (event.is_request) continue;
      const FlowTag expected = FlowTag::of(flow_of(event.kind, batch[event.summary]));
      EXPECT_EQ(event.flow.group(), expected.group()) << name_of(event.kind);
      EXPECT_EQ(event.flow.mark(), expected.mark()) << name_of(event.kind);
      ++responses[event.kind];
    }
  }
  return responses;
}

void open(Conversation& talk, double ms, std::uint32_t first) {
  talk.add({.ms = ms, .flags = tcp_syn, .sequence = first})
      .add({.ms = ms + 1,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = first + 1})
      .add({.ms = ms + 2, .sequence = first + 1, .acknowledgment = 501});
}

/// Settled from the third exchange on, with and without timestamps.
void exchange(Conversation& talk, double ms, std::uint32_t first, bool timestamps) {
  for (std::uint32_t i = 0; i < 5; ++i)
    talk.add({.ms = ms + 2 * i,
              .sequence = first + 10 * i,
              .acknowledgment = 501 + 20 * i,
              .payload = 10,
              .timestamps = timestamps,
              .ts_value = 70 + i,
              .ts_echo = 90 + i})
        .add({.ms = ms + 2 * i + 1,
              .from = From::server,
              .sequence = 501 + 20 * i,
              .acknowledgment = first + 10 * i + 10,
              .payload = 20,
              .timestamps = timestamps,
              .ts_value = 91 + i,
              .ts_echo = 70 + i});
}

TEST(SampleFlow, OfAConnectionIsToldByItsResponses) {
  Conversation talk;
  open(talk, 0, 1000);
  exchange(talk, 10, 1001, false);
  exchange(talk, 30, 1051, true);
  talk.add({.ms = 50, .flags = tcp_fin | tcp_ack, .sequence = 1101, .acknowledgment = 601});
  open(talk, 100, 900'000);  // the same ends again
  exchange(talk, 110, 900'001, false);
  const auto responses = tagged_responses(talk);
  EXPECT_GE(responses.at(Kind::tcp), 25);
  EXPECT_GE(responses.at(Kind::tcp_ts), 5);
  EXPECT_EQ(responses.at(Kind::handshake), 6);
  EXPECT_EQ(responses.at(Kind::flow), 1);
}

TEST(SampleFlow, OfDnsIsThatOfTheHostsAlsoWithinAConnection) {
  Conversation talk{53};
  const auto framed = [](const Bytes& message) {
    return bytes_of(
               {static_cast<int>(message.size() >> 8), static_cast<int>(message.size() & 255)}) +
           message;
  };
  open(talk, 0, 1000);
  const Bytes query = framed(dns(7, false, "example.org")),
              answer = framed(dns(7, true, "example.org"));
  talk.add({.ms = 5, .sequence = 1001, .acknowledgment = 501, .bytes = query});
  talk.add({.ms = 9,
            .from = From::server,
            .sequence = 501,
            .acknowledgment = 1001 + static_cast<std::uint32_t>(query.size()),
            .bytes = answer});
  const auto responses = tagged_responses(talk);
  EXPECT_EQ(responses.at(Kind::dns), 1);
  EXPECT_GE(responses.at(Kind::tcp), 1);
}

TEST(SampleFlow, OfDatagramsIsTold) {
  Conversation talk;
  for (const auto& [asks, answers] : {std::pair{Content::dns_query, Content::dns_response},
                                      std::pair{Content::ntp_request, Content::ntp_response},
                                      std::pair{Content::icmp_request, Content::icmp_reply}})
    talk.send({.content = asks, .token = 5})
        .send({.ms = 1, .from = From::server, .content = answers, .token = 5});
  talk.send({.ms = 2, .content = Content::quic_long, .initial = true})
      .send({.ms = 3, .from = From::server, .content = Content::quic_long});
  const auto responses = tagged_responses(talk);
  EXPECT_EQ(responses.at(Kind::dns), 1);
  EXPECT_EQ(responses.at(Kind::ntp), 1);
  EXPECT_EQ(responses.at(Kind::icmp), 1);
  EXPECT_EQ(responses.at(Kind::quic), 1);
}

TEST(SampleFlow, OfOtherAddressesAndOtherPortsIsAnother) {
  Sample sample;
  sample.requester = *IpAddress::parse("10.0.0.1");
  sample.responder = *IpAddress::parse("10.0.0.2");
  sample.requester_port = 1000;
  sample.responder_port = 80;
  Sample host = sample, network = sample, port = sample;
  host.responder = *IpAddress::parse("10.0.0.3");
  network.requester = *IpAddress::parse("2001:db8::1");
  port.requester_port = 1001;
  for (const Sample& other : {host, network, port}) EXPECT_NE(flow_of(sample), flow_of(other));
  sample.kind = host.kind = port.kind = Kind::dns;
  EXPECT_NE(flow_of(sample), flow_of(host));
  EXPECT_EQ(flow_of(sample), flow_of(port)) << "those of dns are pairs of hosts";
}

}  // namespace
}  // namespace sojourn
