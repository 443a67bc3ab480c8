#include "alarm/webhook.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "store/test_clickhouse.h"

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

TEST(WebhookTarget, IsAUrlWhoseServerIsReadAsEveryOther) {
  const auto read = [](std::string_view url) {
    const auto target = WebhookTarget::parse(url);
    return target ? fmt::format("{} {} {}", target->host, target->port, target->path) : "refused";
  };
  EXPECT_EQ(read("http://a"), "a 80 /");
  EXPECT_EQ(read("https://a/b?c"), "a 443 /b?c");
  EXPECT_EQ(read("https://[::1]:8443/b"), "::1 8443 /b");
  EXPECT_EQ(read("http://[::1]"), "::1 80 /");
  for (const char* const wrong :
       {"", "a", "ftp://a/", "http://", "http:///b", "http://:80/", "http://a:0/", "http://a:/",
        "http://a:65536/", "http://a:80x/", "http://[::1/", "http://[::1]80/", "http://[]/",
        "http://[a]/", "http://user@a/", "http://a b/", "http://a/b c"})
    EXPECT_EQ(read(wrong), "refused") << wrong;
  EXPECT_EQ(WebhookTarget::parse("http://a:0/").error().message,
            "'http://a:0/' is not http[s]://HOST[:PORT][/PATH]: 'a:0': the port is a whole number "
            "from 1 to 65535");
}

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
    thrown_away = webhook.counts().thrown_away;
    EXPECT_EQ(webhook.counts().delivered, 0u);
  }
  // Two wait, and one may be on its way.
  EXPECT_GE(thrown_away, 3u);
  EXPECT_LE(thrown_away, 4u);
  EXPECT_EQ(log.with("too many alarms"), static_cast<long>(thrown_away));
  EXPECT_EQ(log.with("was not delivered"), static_cast<long>(6 - thrown_away));
}

/// Answers as many requests as there are statuses; what came.
std::vector<std::string> serve(int listener, const std::vector<int>& statuses) {
  std::vector<std::string> requests;
  for (const int status : statuses) {
    const int peer = accept(listener, nullptr, nullptr);
    std::string request;
    while (!request.ends_with('}')) {
      std::array<char, 4096> piece{};
      const ssize_t got = recv(peer, piece.data(), piece.size(), 0);
      if (got <= 0) break;
      request.append(piece.data(), static_cast<std::size_t>(got));
    }
    requests.push_back(request);
    const std::string answer =
        fmt::format("HTTP/1.1 {} OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    ::send(peer, answer.data(), answer.size(), MSG_NOSIGNAL);
    close(peer);
  }
  return requests;
}

// A receiver recognizes what it has had already by the number.
TEST(Webhook, NumbersItsMessagesAndSendsAgainWithTheSameNumber) {
  const int listener = loopback_listener();
  WebhookOptions options;
  options.target =
      *WebhookTarget::parse(fmt::format("http://127.0.0.1:{}/a?b=c", port_of(listener)));
  options.first_wait = std::chrono::milliseconds{10};
  std::vector<std::string> requests;
  std::thread server{[&] { requests = serve(listener, {503, 200, 200}); }};
  {
    Webhook webhook{options, [](const std::string&) {}};
    webhook.send("{\"alarm\": 7}");
    webhook.send("{\"alarm\": 8}");
    server.join();
  }
  close(listener);
  ASSERT_EQ(requests.size(), 3u);
  for (const std::string& request : requests) {
    EXPECT_TRUE(request.starts_with("POST /a?b=c HTTP/1.1\r\n")) << request;
    EXPECT_TRUE(request.contains("\r\nContent-Type: application/json\r\n")) << request;
  }
  EXPECT_TRUE(requests[0].contains("\r\nSojourn-Delivery: 1\r\n")) << requests[0];
  EXPECT_EQ(requests[1], requests[0]);
  EXPECT_TRUE(requests[2].contains("\r\nSojourn-Delivery: 2\r\n")) << requests[2];
  EXPECT_TRUE(requests[0].ends_with("\r\n\r\n{\"alarm\": 7}")) << requests[0];
  EXPECT_TRUE(requests[2].ends_with("\r\n\r\n{\"alarm\": 8}")) << requests[2];
}

}  // namespace
}  // namespace sojourn
