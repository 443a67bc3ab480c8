#include "alarm/webhook.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace sojourn {
namespace {

/// What is said from either thread.
class Lines {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock{mutex_};
    lines_.push_back(line);
  }
  long with(const std::string& words) const {
    const std::lock_guard lock{mutex_};
    return std::ranges::count_if(lines_,
                                 [&](const std::string& line) { return line.contains(words); });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST(Webhook, CountsAndLogsWhatItCouldNotDeliver) {
  Lines log;
  WebhookOptions options;
  // Nobody listens at the discard port of loopback; were somebody there, nothing would be lost.
  options.target = *WebhookTarget::parse("http://127.0.0.1:9/");
  options.most_waiting = 2;
  options.first_wait = std::chrono::hours{1};  // the first message stays on its way
  options.give_up_after = std::chrono::hours{2};
  std::uint64_t thrown_away = 0;
  {
    Webhook webhook{options, [&](const std::string& line) { log.add(line); }};
    for (int i = 0; i < 6; ++i) webhook.send("{}");
    thrown_away = webhook.thrown_away();
    EXPECT_EQ(webhook.delivered(), 0u);
  }
  // Two wait, and one may be on its way.
  EXPECT_GE(thrown_away, 3u);
  EXPECT_LE(thrown_away, 4u);
  EXPECT_EQ(log.with("too many alarms"), static_cast<long>(thrown_away));
  EXPECT_EQ(log.with("was not delivered"), static_cast<long>(6 - thrown_away));
}

}  // namespace
}  // namespace sojourn
