#if defined(SOJOURN_WITH_MICROHTTPD) && defined(SOJOURN_WITH_SQLITE)
#include "web/web_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "store/cell_batch.h"
#include "web/answer_worker.h"

namespace sojourn::web {
namespace {

std::uint16_t port_of(const WebServer& server) {
  const std::string address = server.address();
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

/// -1 if nobody listens.
int connected(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return socket;
  ::close(socket);
  return -1;
}

/// The whole answer, head and body.
std::string answer_to(const WebServer& server, const std::string& target,
                      const std::string& headers = {}) {
  const int socket = connected(port_of(server));
  const std::string request =
      "GET " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + headers + "\r\n";
  EXPECT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string answer;
  std::array<char, 4096> piece{};
  for (ssize_t got; (got = ::recv(socket, piece.data(), piece.size(), 0)) > 0;)
    answer.append(piece.data(), static_cast<std::size_t>(got));
  ::close(socket);
  return answer;
}

class WebServerTest : public testing::Test {
 protected:
  WebServerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "web_server.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~WebServerTest() override { std::filesystem::remove_all(folder_); }
  std::unique_ptr<WebServer> open() {
    options_.port = 0;
    options_.store = folder_ / "sojourn.db";
    EXPECT_TRUE(open_store(options_.store));
    options_.alarms = [] { return Json::array({"the north is slow"}); };
    auto server = WebServer::open(options_, metrics_);
    EXPECT_TRUE(server) << server.error().message;
    return std::move(*server);
  }
  std::filesystem::path folder_;
  WebOptions options_;
  Metrics metrics_{{}};
};

TEST_F(WebServerTest, AnswersByNameAndRefusesWhatCannotBeMeant) {
  const auto server = open();
  ASSERT_TRUE(server->start());
  EXPECT_TRUE(answer_to(*server, "/nothing").starts_with("HTTP/1.1 404"));
  EXPECT_TRUE(answer_to(*server, "/metrics").starts_with("HTTP/1.1 200"));
  const std::string twice = answer_to(*server, "/api/v1/health?a=1&a=2");
  EXPECT_TRUE(twice.starts_with("HTTP/1.1 400")) << twice;
  EXPECT_TRUE(twice.contains("parameter 'a' is given twice")) << twice;
  const std::string body = answer_to(*server, "/metrics", "Transfer-Encoding: chunked\r\n");
  EXPECT_TRUE(body.starts_with("HTTP/1.1 413")) << body;
  const std::string alarms = answer_to(*server, "/api/v1/alarms");
  EXPECT_TRUE(alarms.contains("the north is slow")) << alarms;
}

TEST_F(WebServerTest, AnswersManyAtOnceWhileFiguresAreAdded) {
  const auto server = open();
  ASSERT_TRUE(server->start());
  const std::vector<std::string> subjects = {"north"};
  std::atomic<int> answered = 0, finished = 0;
  constexpr int clients = 3, rounds = 6;
  std::vector<std::jthread> threads;
  for (int client = 0; client < clients; ++client)
    threads.emplace_back([&] {
      for (int round = 0; round < rounds; ++round)
        for (const char* const target : {"/metrics", "/api/v1/health", "/api/v1/alarms"})
          answered += answer_to(*server, target).starts_with("HTTP/1.1 200");
      ++finished;
    });
  for (std::uint64_t flow = 0; finished < clients; ++flow) {
    CellSeries series;
    series.measure = number_of(Kind::tcp);
    CellBatch batch;
    batch.add(series, LogBuckets::index_of(20'000'000), FlowTag::numbered(flow), 1);
    metrics_.add({Timestamp{}, Timestamp{}, subjects, batch.blocks(), {}, {}});
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  threads.clear();
  EXPECT_EQ(answered, clients * rounds * 3);
}

TEST_F(WebServerTest, EndsWhileSomebodyListens) {
  auto server = open();
  ASSERT_TRUE(server->start());
  const int socket = connected(port_of(*server));
  const std::string request =
      "GET /api/v1/live?subject=north&kind=tcp HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
  EXPECT_GT(::send(socket, request.data(), request.size(), MSG_NOSIGNAL), 0);
  std::array<char, 4096> piece{};
  EXPECT_GT(::recv(socket, piece.data(), piece.size(), 0), 0);
  EXPECT_TRUE(std::string_view{piece.data()}.starts_with("HTTP/1.1 200")) << piece.data();
  server.reset();
  while (::recv(socket, piece.data(), piece.size(), 0) > 0) {
  }
  ::close(socket);
}

TEST_F(WebServerTest, WithoutItsStoreItSaysWhenToTryAgain) {
  const auto server = open();
  ASSERT_TRUE(server->start());
  std::filesystem::remove(options_.store);
  const std::string answer = answer_to(*server, "/api/v1/health");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 503")) << answer;
  EXPECT_TRUE(answer.contains("\r\nRetry-After: 1\r\n")) << answer;
}

TEST_F(WebServerTest, OneThatWasNotStartedGivesItsPortBack) {
  std::uint16_t port = 0;
  {
    const auto server = open();
    port = port_of(*server);
    const int socket = connected(port);
    EXPECT_GE(socket, 0);
    ::close(socket);
  }
  EXPECT_EQ(connected(port), -1);
}

TEST(AnswerWorker, WhoLeavesIsNotFedAndTheOthersStay) {
  AnswerWorker worker{{.store = "/nonexistent", .context = [] { return ApiContext{}; }}};
  std::array<std::shared_ptr<LiveStream>, 3> streams;
  for (auto& stream : streams) {
    stream = std::make_shared<LiveStream>(*QueryString::parse(""));
    EXPECT_TRUE(worker.listen(stream, [] {}));
  }
  worker.leave(streams[1].get());
  EXPECT_EQ(worker.streams(), 2u);
  worker.leave(streams[1].get());
  EXPECT_EQ(worker.streams(), 2u);
  worker.leave(streams[0].get());
  worker.leave(streams[2].get());
  EXPECT_EQ(worker.streams(), 0u);
}

TEST(AnswerWorker, StopsWhenItIsTold) {
  AnswerWorker worker{{.store = "/nonexistent", .context = [] { return ApiContext{}; }}};
  std::thread thread{[&] { worker.run(); }};
  worker.stop();
  thread.join();
  EXPECT_FALSE(worker.ask("health", *QueryString::parse(""), [](const Reply&) {}));
}

}  // namespace
}  // namespace sojourn::web
#endif
