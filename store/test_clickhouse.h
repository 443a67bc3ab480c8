#pragma once
// ClickHouse servers for a test: in a temporary folder, on loopback ports, removed with the test.

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "store/clickhouse/server.h"
#include "store/clickhouse/test_canned_server.h"

namespace sojourn {

inline std::uint16_t free_port() {
  const int listener = loopback_listener();
  const std::uint16_t port = port_of(listener);
  close(listener);
  return port;
}

class TestClickHouse {
 public:
  static bool installed() { return access("/usr/sbin/clickhouse-server", X_OK) == 0; }

  explicit TestClickHouse(std::filesystem::path folder)
      : folder_(std::move(folder)), port_(free_port()), native_port_(free_port()) {
    std::filesystem::create_directories(folder_);
    const std::string at = folder_.string();
    std::ofstream{folder_ / "config.xml"} << fmt::format(
        "<yandex><logger><level>warning</level><log>{0}/log</log><errorlog>{0}/errors</errorlog>"
        "</logger><http_port>{1}</http_port><tcp_port>{2}</tcp_port>"
        "<listen_host>127.0.0.1</listen_host><path>{0}/data/</path><tmp_path>{0}/tmp/</tmp_path>"
        "<mark_cache_size>67108864</mark_cache_size><users_config>users.xml</users_config>"
        "<default_profile>default</default_profile><default_database>default</default_database>"
        "</yandex>",
        at, port_, native_port_);
    std::ofstream{folder_ / "users.xml"}
        << "<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>"
           "<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>"
           "<quota>default</quota></default></users></yandex>";
    start();
  }
  TestClickHouse(const TestClickHouse&) = delete;
  TestClickHouse& operator=(const TestClickHouse&) = delete;
  ~TestClickHouse() {
    kill();
    std::filesystem::remove_all(folder_);
  }

  /// True once it responds.
  bool start() {
    const std::string config = "-C" + (folder_ / "config.xml").string();
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      const int null = open("/dev/null", O_RDWR);
      for (const int each : {0, 1, 2}) dup2(null, each);
      execl("/usr/sbin/clickhouse-server", "clickhouse-server", config.c_str(), nullptr);
      _exit(127);
    }
    clickhouse::Address address;
    address.database = "default";
    const clickhouse::Server server{{"127.0.0.1", port_}, address};
    for (int i = 0; i < 600; ++i) {
      if (server.ping()) return true;
      usleep(50'000);
    }
    return false;
  }
  void kill() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    process_ = -1;
  }
  std::uint16_t port() const { return port_; }

 private:
  std::filesystem::path folder_;
  std::uint16_t port_, native_port_;
  pid_t process_ = -1;
};

/// A proxy between a client and its server: forwards requests, and drops chosen responses.
class AnswerSwallower {
 public:
  explicit AnswerSwallower(std::uint16_t to)
      : to_(to), listener_(loopback_listener()), port_(port_of(listener_)), thread_([this] {
          while (!ending_) serve();
        }) {}
  AnswerSwallower(const AnswerSwallower&) = delete;
  AnswerSwallower& operator=(const AnswerSwallower&) = delete;
  ~AnswerSwallower() {
    ending_ = true;
    thread_.join();
    close(listener_);
  }

  /// Responses to requests that contain this text are dropped, `times` times.
  void swallow(std::string text, int times) {
    left_ = 0;
    text_ = std::move(text);
    left_ = times;
  }
  int left() const { return left_; }
  std::uint16_t port() const { return port_; }

 private:
  void serve() {
    pollfd waiting{listener_, POLLIN, 0};
    if (poll(&waiting, 1, 50) <= 0) return;
    const int client = accept(listener_, nullptr, nullptr);
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(to_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::string asked;
    std::vector<char> buffer(1 << 20);
    bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    while (open && !ending_) {
      pollfd both[2] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
      poll(both, 2, 1000);
      if (both[0].revents != 0) {
        const ssize_t got = recv(client, buffer.data(), buffer.size(), 0);
        if (got <= 0) break;
        asked.append(buffer.data(), static_cast<std::size_t>(got));
        open = send(server, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
      }
      if (both[1].revents != 0) {
        const ssize_t got = recv(server, buffer.data(), buffer.size(), 0);
        if (got <= 0) break;
        if (left_ > 0 && asked.find(text_) != std::string::npos) {
          --left_;
          break;
        }
        open = send(client, buffer.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
      }
    }
    close(client);
    close(server);
  }

  std::uint16_t to_;
  int listener_;
  std::uint16_t port_;
  std::string text_;
  std::atomic<int> left_ = 0;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

}  // namespace sojourn
