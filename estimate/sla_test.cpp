#include "estimate/sla.h"

#include <gtest/gtest.h>

#include <utility>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Distribution up_to_100ms(int samples) {
  Distribution distribution;
  for (int i = 1; i <= samples; ++i) distribution.add(Duration{100ms} * i / samples);
  return distribution;
}

SlaVerdict verdict(std::string_view rule, const Distribution& distribution) {
  return SlaRule::parse(rule)->evaluate(distribution).verdict;
}

TEST(SlaRule, ReadsWhatUsersWrite) {
  for (const auto text :
       {"tcp p95 < 50ms", "tcp.external p95<50ms", " tcp.server  p99.9 <= 1s ", "dns mean > 20us",
        "icmp max >= 1s", "tcp-ts median < 1.5ms", "handshake.sum min<1ms"})
    EXPECT_TRUE(SlaRule::parse(text)) << text;
  const auto rule = *SlaRule::parse("tcp.external p95 < 50ms");
  EXPECT_EQ(rule.kind(), Kind::tcp);
  EXPECT_EQ(rule.leg(), Leg::external);
  EXPECT_EQ(rule.text(), "tcp.external p95 < 50ms");
}

TEST(SlaRule, SaysInOneLineWhatIsWrong) {
  const auto message = [](std::string_view text) {
    const auto rule = SlaRule::parse(text);
    return rule ? std::string{"accepted"} : rule.error().message;
  };
  EXPECT_EQ(message("tcp p95"),
            "in SLA rule 'tcp p95': expected < or > after 'p95', as in 'tcp p95 < 50ms'");
  EXPECT_EQ(message("tcp.up p95 < 1s"),
            "in SLA rule 'tcp.up p95 < 1s': expected one of server, client, external, internal, "
            "sum, network, thinking after the dot, "
            "as in 'tcp p95 < 50ms'");
  EXPECT_EQ(message("tcp p95 < 50"),
            "in SLA rule 'tcp p95 < 50': '50' is not a duration such as 80us, 500ms, 2s or 5min");
  for (const auto text :
       {"", "udp p95 < 50ms", "tcp", "tcp p < 1ms", "tcp p0 < 1ms", "tcp p100 < 1ms",
        "tcp p95x < 1ms", "tcp 95 < 1ms", "tcp p95 = 50ms", "tcp p95 < ", "tcp p95 << 1ms",
        "tcp p95 < -1ms", "tcp p95 < 50ms please", "tcp. p95 < 1ms"}) {
    EXPECT_TRUE(message(text).starts_with("in SLA rule '")) << text << ": " << message(text);
    EXPECT_EQ(message(text).find('\n'), std::string::npos);
  }
}

TEST(SlaRule, DecidesOnlyWhenTheIntervalDoes) {
  const auto many = up_to_100ms(10'000);  // median 50 ms, interval about 49 to 51
  EXPECT_EQ(verdict("tcp p50 < 60ms", many), SlaVerdict::met);
  EXPECT_EQ(verdict("tcp p50 < 40ms", many), SlaVerdict::violated);
  EXPECT_EQ(verdict("tcp p50 < 50.2ms", many), SlaVerdict::undecided);
  EXPECT_EQ(verdict("tcp p50 > 40ms", many), SlaVerdict::met);
  EXPECT_EQ(verdict("tcp p50 >= 60ms", many), SlaVerdict::violated);
  EXPECT_EQ(verdict("tcp mean < 52ms", many), SlaVerdict::met);
  EXPECT_EQ(verdict("tcp mean < 50.1ms", many), SlaVerdict::undecided);
  EXPECT_EQ(verdict("tcp max <= 100ms", many), SlaVerdict::met);
  EXPECT_EQ(verdict("tcp max < 100ms", many), SlaVerdict::violated);

  const auto close = SlaRule::parse("tcp p50 < 50.2ms")->evaluate(many);
  EXPECT_TRUE(close.ok);
  EXPECT_FALSE(close.broken());
  const auto closer = SlaRule::parse("tcp p50 < 49.8ms")->evaluate(many);
  EXPECT_EQ(closer.verdict, SlaVerdict::undecided);
  EXPECT_TRUE(closer.broken());
}

TEST(SlaRule, DoesNotTrustATailThatWasNeverSampled) {
  const auto few = up_to_100ms(20);
  EXPECT_EQ(verdict("tcp p99 < 1s", few), SlaVerdict::undecided);   // nothing bounds p99 from above
  EXPECT_EQ(verdict("tcp p99 < 10ms", few), SlaVerdict::violated);  // but it is surely above 10 ms
  EXPECT_EQ(verdict("tcp p50 < 1s", few), SlaVerdict::met);
  EXPECT_EQ(verdict("tcp p99 <= 1s", few), SlaVerdict::undecided);
  // The same of the shortest: nothing bounds p1 from below.
  EXPECT_EQ(verdict("tcp p1 > 1us", few), SlaVerdict::undecided);
  EXPECT_EQ(verdict("tcp p1 >= 1us", few), SlaVerdict::undecided);
  EXPECT_EQ(verdict("tcp p1 > 90ms", few), SlaVerdict::violated);
}

TEST(SlaRule, IsUndecidedWithoutSamples) {
  const auto result = SlaRule::parse("tcp p95 < 50ms")->evaluate(Distribution{});
  EXPECT_EQ(result.verdict, SlaVerdict::undecided);
  EXPECT_FALSE(result.value);
  EXPECT_FALSE(result.broken());
}

TEST(SlaRule, JudgesSharesByTheirIntervals) {
  Measurement measurement;
  measurement.counters(Kind::dns).requests = 1000;
  for (int i = 0; i < 980; ++i) measurement.add_light(Kind::dns, Leg::server, {}, 1ms);
  const auto judge = [&](std::string_view rule) {
    return SlaRule::parse(rule)->evaluate(measurement).at(0);
  };
  EXPECT_NEAR(judge("dns unanswered < 5%").share->value, 0.02, 1e-9);
  EXPECT_EQ(judge("dns unanswered < 5%").verdict, SlaVerdict::met);
  EXPECT_EQ(judge("dns unanswered < 2.5%").verdict, SlaVerdict::undecided);
  EXPECT_FALSE(judge("dns unanswered < 2.5%").broken()) << "the share itself keeps to it";
  EXPECT_EQ(judge("dns unanswered < 0.5%").verdict, SlaVerdict::violated);
  EXPECT_TRUE(judge("dns unanswered < 0.5%").broken());
  EXPECT_FALSE(judge("ntp unanswered < 0.5%").broken()) << "nobody asked";

  LossTally loss;
  Sample sample;
  sample.kind = Kind::tcp;
  for (std::uint64_t flow = 0; flow < 200; ++flow)
    for (int i = 0; i < 20; ++i) {
      const unsigned lost = (flow + static_cast<std::uint64_t>(i)) % 50 == 0 ? 1u << 2 : 0;
      loss.add(static_cast<std::uint16_t>(3u | lost), 1, flow, sample);
    }
  const auto result = SlaRule::parse("tcp retransmitted < 1%")->evaluate(measurement, &loss).at(0);
  EXPECT_NEAR(result.share->value, 0.02, 1e-6);
  EXPECT_EQ(result.verdict, SlaVerdict::violated);
  EXPECT_TRUE(SlaRule::parse("tcp retransmitted < 1%")->needs_loss());
  EXPECT_FALSE(SlaRule::parse("dns unanswered < 1%")->needs_loss());
  EXPECT_TRUE(SlaRule::parse("each dns unanswered < 1%")->needs_loss()) << "it counts by group";
  for (const auto wrong : {"dns retransmitted < 1%", "each tcp unanswered < 1%", "tcp late < 5ms",
                           "dns.server unanswered < 1%", "tcp segments < 1%", "tcp late < 101%"})
    EXPECT_FALSE(SlaRule::parse(wrong)) << wrong;
}

TEST(SlaRule, LooksAtTheLegItNames) {
  Measurement measurement;
  for (int i = 0; i < 100; ++i) {
    measurement.add_light(Kind::tcp, Leg::server, {}, 80ms);
    measurement.add_light(Kind::tcp, Leg::client, {}, 1ms);
  }
  EXPECT_TRUE(SlaRule::parse("tcp.server p50 < 50ms")->evaluate(measurement)[0].broken());
  EXPECT_FALSE(SlaRule::parse("tcp.client p50 < 50ms")->evaluate(measurement)[0].broken());
  // Without a leg: each separately, not the two pooled.
  const auto both = SlaRule::parse("tcp p95 < 50ms")->evaluate(measurement);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].leg, Leg::server);
  EXPECT_TRUE(both[0].broken());
  EXPECT_EQ(both[1].leg, Leg::client);
  EXPECT_FALSE(both[1].broken());
  EXPECT_FALSE(SlaRule::parse("quic p95 < 50ms")->evaluate(measurement).at(0).value);
}

/// 100 requests, all answered; ten answers were expected to be seen and eight were.  It must not
/// report a loss of a fifth, nor fail for it.
TEST(SlaRule, IsNotBrokenByAnswersThatATableLetPass) {
  const SlaRule rule = *SlaRule::parse("dns unanswered < 0.5%");
  for (const auto& [seen, broken] : {std::pair{8, false}, {1, true}}) {
    Measurement measurement;
    for (int i = 0; i < seen; ++i) measurement.add_light(Kind::dns, Leg::server, {}, 1ms, 10);
    KindCounters& counters = measurement.counters(Kind::dns);
    counters.requests = 100;
    counters.left_out[LeftOut::by_chance] = 90;
    const auto result = rule.evaluate(measurement).at(0);
    EXPECT_EQ(result.broken(), broken) << seen;
    EXPECT_EQ(result.verdict, broken ? SlaVerdict::violated : SlaVerdict::undecided) << seen;
    EXPECT_NEAR(result.share->value, 1 - seen / 10.0, 1e-9);
  }
}

/// A server that answers at once has a thinking time of zero: "response min > 1ms" does not cover
/// it.
TEST(SlaRule, JudgesPartsOfALegOnlyByName) {
  Measurement measurement;
  for (int i = 0; i < 100; ++i) {
    measurement.add_light(Kind::response, Leg::server, {}, 20ms);
    measurement.add_light(Kind::response, Leg::network, {}, 20ms);
    measurement.add_light(Kind::response, Leg::thinking, {}, 0ms);
  }
  const auto whole = SlaRule::parse("response min > 1ms")->evaluate(measurement);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_FALSE(whole[0].broken());
  EXPECT_TRUE(SlaRule::parse("response.thinking min > 1ms")->evaluate(measurement)[0].broken());
  EXPECT_FALSE(SlaRule::parse("response min > 1ms")->is_about(Leg::network)) << "nor each group's";
}

}  // namespace
}  // namespace sojourn
