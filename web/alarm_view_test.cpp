#include "web/alarm_view.h"

#include <gtest/gtest.h>

namespace sojourn::web {
namespace {

TEST(AlarmMetrics, CountWhatAWebhookDidNotDeliver) {
  const std::string text = classic_text(alarm_metrics({}, WebhookCounts{5, 2}));
  EXPECT_TRUE(text.contains("sojourn_webhook_total{outcome=\"delivered\"} 5\n")) << text;
  EXPECT_TRUE(text.contains("sojourn_webhook_total{outcome=\"thrown_away\"} 2\n")) << text;
  EXPECT_FALSE(classic_text(alarm_metrics({}, std::nullopt)).contains("webhook"));
}

}  // namespace
}  // namespace sojourn::web
