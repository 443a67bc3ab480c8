#include "alarm/alarm_rule.h"

#include <gtest/gtest.h>

#include <random>

#include "alarm/webhook.h"
#include "store/cells.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Distribution delays(int samples, Duration median, std::uint64_t seed = 1) {
  std::mt19937_64 random{seed};
  std::lognormal_distribution<double> spread{0, 0.5};
  Distribution result;
  for (int i = 0; i < samples; ++i)
    result.add(
        Duration{static_cast<std::int64_t>(static_cast<double>(median.count()) * spread(random))});
  return result;
}

TEST(AlarmRule, ParsesBoundsAndTheUsual) {
  EXPECT_EQ(AlarmRule::parse("oneway p95 < 20ms")->measure(), number_of(Measure::oneway));
  EXPECT_EQ(AlarmRule::parse("tcp p95 < 20ms")->measure(), number_of(Kind::tcp));
  EXPECT_TRUE(AlarmRule::parse("each oneway usual")->each_group());
  EXPECT_TRUE(AlarmRule::parse("each oneway usual")->about_usual());
  EXPECT_TRUE(
      AlarmRule::parse("tcp.server usual")->is_about(static_cast<std::uint8_t>(Leg::server)));
  EXPECT_FALSE(
      AlarmRule::parse("tcp.server usual")->is_about(static_cast<std::uint8_t>(Leg::client)));
  for (const char* wrong : {"", "usual", "what usual", "tcp", "tcp p95 < ", "oneway.server usual",
                            "tcp p95 < 50ms usual", "tcp max < 1s", "tcp retransmitted < 1%"})
    EXPECT_FALSE(AlarmRule::parse(wrong)) << wrong;
}

// The value is beyond the bound in both cases, but few samples are not significant.
TEST(AlarmRule, FewSamplesCannotAlarm) {
  const auto rule = *AlarmRule::parse("tcp median < 50ms");
  EXPECT_EQ(rule.judge(delays(5000, 60ms), nullptr, 1e-8, 0.1).state, AlarmState::bad);
  EXPECT_EQ(rule.judge(delays(20, 60ms), nullptr, 1e-8, 0.1).state, AlarmState::unclear);
  EXPECT_EQ(rule.judge(delays(5000, 40ms), nullptr, 1e-8, 0.1).state, AlarmState::good);
  EXPECT_EQ(rule.judge(Distribution{}, nullptr, 1e-8, 0.1).state, AlarmState::unclear);
}

TEST(AlarmRule, AShiftAgainstTheUsualIsSeenBothWays) {
  const auto rule = *AlarmRule::parse("each tcp usual");
  const auto usual = delays(20'000, 20ms, 7).snapshot(std::array{0.5});
  EXPECT_EQ(rule.judge(delays(5000, 24ms), &usual, 1e-8, 0.1).state, AlarmState::bad);
  EXPECT_EQ(rule.judge(delays(5000, 20ms), &usual, 1e-8, 0.1).state, AlarmState::good);
  EXPECT_EQ(rule.judge(delays(5000, 15ms), &usual, 1e-8, 0.1).state, AlarmState::good);
  EXPECT_EQ(rule.judge(delays(20, 90ms), &usual, 1e-8, 0.1).state, AlarmState::unclear);
  EXPECT_EQ(rule.judge(delays(5000, 24ms), nullptr, 1e-8, 0.1).state, AlarmState::unclear);
}

TEST(WebhookTarget, TakesHttpAndHttps) {
  const auto target = WebhookTarget::parse("http://[::1]:9000/hook?x=1");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->host, "::1");
  EXPECT_EQ(target->port, 9000);
  EXPECT_EQ(target->path, "/hook?x=1");
  EXPECT_EQ(WebhookTarget::parse("http://example")->port, 80);
  EXPECT_FALSE(WebhookTarget::parse("http://example")->tls);
  EXPECT_EQ(WebhookTarget::parse("https://example/x")->port, 443);
  EXPECT_TRUE(WebhookTarget::parse("https://example:8443")->tls);
  for (const char* wrong :
       {"ftp://example", "example", "https://", "https:/example", "http://", "http://a:0/",
        "http://a:x/", "http://a/b c", "http://a/\r\nX: y", "http://a:99999"})
    EXPECT_FALSE(WebhookTarget::parse(wrong)) << wrong;
}

#ifdef SOJOURN_WITH_GNUTLS
TEST(Webhook, TheSignatureIsThatOfRfc4231) {  // test case 2
  EXPECT_EQ(*webhook_signature("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
#endif

}  // namespace
}  // namespace sojourn
