#include "estimate/sla_groups.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

class SlaGroupsTest : public testing::Test {
 protected:
  SlaGroupsTest() : measurement(options()) {
    add(80, 200, 10ms);    // met
    add(443, 300, 90ms);   // violated
    add(8443, 100, 90ms);  // violated
    add(22, 2, 90ms);      // two samples bound nothing
    add(53, 500, 90ms, Kind::dns);
  }
  void add(std::uint16_t port, int samples, Duration delay, Kind kind = Kind::tcp) {
    Sample sample;
    sample.kind = kind;
    sample.leg = Leg::server;
    sample.delay = delay;
    sample.responder_port = port;
    for (int i = 0; i < samples; ++i) measurement.add(sample);
  }
  static MeasurementOptions options() {
    MeasurementOptions options;
    options.grouping = *Grouping::parse("port");
    return options;
  }
  SlaGroups evaluate(std::string_view rule, std::size_t limit = 10) {
    return evaluate_groups(*SlaRule::parse(rule), measurement, limit);
  }

  Measurement measurement;
};

TEST_F(SlaGroupsTest, JudgesEachGroupOfTheKind) {
  const auto groups = evaluate("each tcp p50 < 50ms");
  EXPECT_EQ(groups.count(SlaVerdict::met), 1u);
  EXPECT_EQ(groups.count(SlaVerdict::violated), 2u);
  EXPECT_EQ(groups.count(SlaVerdict::undecided), 1u);
  EXPECT_EQ(groups.groups(), 4u);
  EXPECT_TRUE(groups.broken());
  ASSERT_EQ(groups.shown.size(), 4u);
  EXPECT_EQ(groups.shown[0].group, "port 443");  // violated, most samples
  EXPECT_EQ(groups.shown[1].group, "port 8443");
  EXPECT_EQ(groups.shown[2].group, "port 22");
  EXPECT_EQ(groups.shown[3].group, "port 80");
  EXPECT_NEAR(static_cast<double>(groups.shown[0].value->count()), 90e6, 1e6);
}

TEST_F(SlaGroupsTest, IsNotBrokenByAGroupThatIsUndecided) {
  // Port 22 lies above 80 ms, but two samples do not prove it.
  measurement = Measurement{options()};
  add(22, 2, 90ms);
  const auto groups = evaluate("each tcp p50 < 80ms");
  EXPECT_EQ(groups.count(SlaVerdict::undecided), 1u);
  EXPECT_FALSE(groups.shown[0].ok);
  EXPECT_FALSE(groups.shown[0].broken());
  EXPECT_FALSE(groups.broken());
}

TEST_F(SlaGroupsTest, ShowsNoMoreThanAskedAndCountsAll) {
  const auto groups = evaluate("each tcp p50 < 50ms", 1);
  EXPECT_EQ(groups.groups(), 4u);
  ASSERT_EQ(groups.shown.size(), 1u);
  EXPECT_EQ(groups.shown[0].group, "port 443");
}

TEST_F(SlaGroupsTest, TiesAreBrokenByName) {
  for (std::uint16_t port = 2000; port > 1000; --port) add(port, 1, 1ms);
  const auto groups = evaluate("each tcp max < 1s", 3 + 4);
  ASSERT_EQ(groups.shown.size(), 7u);
  EXPECT_EQ(groups.shown[4].group, "port 1001");
  EXPECT_EQ(groups.shown[6].group, "port 1003");
}

TEST_F(SlaGroupsTest, WithoutGroupsOfTheKindNothingIsBroken) {
  EXPECT_EQ(evaluate("each quic p50 < 1ns").groups(), 0u);
  EXPECT_FALSE(evaluate("each quic p50 < 1ns").broken());
}

TEST_F(SlaGroupsTest, JudgesEachLegOfAGroupOnItsOwn) {
  Sample sample;
  sample.kind = Kind::tcp;
  sample.leg = Leg::client;
  sample.delay = 1ms;
  sample.requester_port = 443;
  for (int i = 0; i < 100; ++i) measurement.add(sample);
  const auto all = evaluate("each tcp p50 < 50ms");
  EXPECT_EQ(all.groups(), 5u);
  EXPECT_EQ(all.count(SlaVerdict::met), 2u);
  EXPECT_EQ(all.shown[0].leg, Leg::server);
  const auto client = evaluate("each tcp.client p50 < 50ms");
  EXPECT_EQ(client.groups(), 1u);
  EXPECT_EQ(client.shown.at(0).group, "port 443");
  EXPECT_FALSE(client.broken());
}

TEST(SlaRuleEach, IsReadAndRefusedClearly) {
  const auto rule = SlaRule::parse("each tcp p95 < 50ms");
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->each_group());
  EXPECT_EQ(rule->text(), "each tcp p95 < 50ms");
  EXPECT_FALSE(SlaRule::parse("tcp p95 < 50ms")->each_group());
  EXPECT_EQ(SlaRule::parse("each tcp.server p95 < 50ms")->leg(), Leg::server);
  EXPECT_FALSE(SlaRule::parse("each each tcp p95 < 50ms"));
  EXPECT_FALSE(SlaRule::parse("each"));
}

/// One that answers all, one that answers four of five, and one that was asked three times only.
TEST_F(SlaGroupsTest, JudgesUnansweredRequestsOfEachGroup) {
  LossTally loss{{.grouping = *Grouping::parse("port"), .window = {}}};
  const auto ask = [&](std::uint16_t port, int requests, int answers) {
    Sample sample;
    sample.kind = Kind::dns;
    sample.responder_port = port;
    for (int i = 0; i < requests; ++i) loss.ask(sample);
    for (int i = 0; i < answers; ++i) loss.answer(sample);
  };
  ask(53, 2000, 2000);
  ask(54, 1000, 800);
  ask(55, 3, 3);
  const auto rule = *SlaRule::parse("each dns unanswered < 0.5%");
  const SlaGroups groups = evaluate_groups(rule, measurement, 10, &loss);
  EXPECT_EQ(groups.count(SlaVerdict::met), 1u);
  EXPECT_EQ(groups.count(SlaVerdict::violated), 1u);
  EXPECT_EQ(groups.count(SlaVerdict::undecided), 1u);
  ASSERT_EQ(groups.shown.size(), 3u);
  EXPECT_EQ(groups.shown[0].group, "port 54");
  EXPECT_NEAR(groups.shown[0].share->value, 0.2, 1e-9);
  EXPECT_TRUE(groups.broken());
  EXPECT_EQ(groups.shown[1].group, "port 55");
  EXPECT_EQ(groups.shown[2].group, "port 53");
}

TEST_F(SlaGroupsTest, JudgesLostSegmentsOfEachGroup) {
  LossTally loss{{.grouping = *Grouping::parse("port"), .window = {}}};
  Sample sample;
  sample.kind = Kind::tcp;
  sample.leg = Leg::server;
  for (const std::uint16_t port : {std::uint16_t{80}, std::uint16_t{81}}) {
    sample.responder_port = port;
    for (std::uint64_t flow = 0; flow < 200; ++flow)
      for (unsigned i = 0; i < 20; ++i) {
        const unsigned lost = port == 81 && (flow + i) % 10 == 0 ? 1u << 2 : 0;
        loss.add(static_cast<std::uint16_t>(3u | lost), 1, flow, sample);
      }
  }
  const auto rule = *SlaRule::parse("each tcp retransmitted < 1%");
  const SlaGroups groups = evaluate_groups(rule, measurement, 10, &loss);
  EXPECT_EQ(groups.count(SlaVerdict::met), 1u);
  EXPECT_EQ(groups.count(SlaVerdict::violated), 1u);
  EXPECT_EQ(groups.shown.at(0).group, "port 81");
}

}  // namespace
}  // namespace sojourn
