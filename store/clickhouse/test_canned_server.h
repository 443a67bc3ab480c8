#pragma once
// For tests: a listener on loopback, and a server behind it that answers as the test says.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace sojourn {

inline int loopback_listener(std::uint16_t port = 0) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return -1;
  listen(listener, 16);
  return listener;
}

inline std::uint16_t port_of(int listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

/// HTTP with status 200, one request at a time.
class CannedServer {
 public:
  /// The body of a response; called by another thread.
  using Respond = std::function<std::string(std::string_view target, std::string_view body)>;

  explicit CannedServer(Respond respond)
      : respond_(std::move(respond)),
        listener_(loopback_listener()),
        port_(port_of(listener_)),
        thread_([this] { serve(); }) {}
  CannedServer(const CannedServer&) = delete;
  CannedServer& operator=(const CannedServer&) = delete;
  ~CannedServer() {
    shutdown(listener_, SHUT_RDWR);  // ends accept()
    thread_.join();
    close(listener_);
  }
  std::uint16_t port() const { return port_; }

 private:
  void serve() {
    for (int client; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
      const std::string request = whole_request(client);
      const std::string_view all = request;
      const auto target = all.find(' ') + 1, body = all.find("\r\n\r\n") + 4;
      const std::string text =
          respond_(all.substr(target, all.find(' ', target) - target), all.substr(body));
      const std::string answer =
          fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", text.size(), text);
      for (std::size_t sent = 0; sent < answer.size();) {
        const ssize_t done = send(client, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
        if (done <= 0) break;
        sent += static_cast<std::size_t>(done);
      }
    }
  }
  /// One without anything if the client leaves early.
  static std::string whole_request(int client) {
    std::string request;
    std::vector<char> piece(65'536);
    const std::string_view name = "\r\nContent-Length: ";
    while (true) {
      const auto head = request.find("\r\n\r\n"), length = request.find(name);
      if (head != std::string::npos && length < head) {
        std::size_t size = 0;
        std::from_chars(request.data() + length + name.size(), request.data() + head, size);
        if (request.size() >= head + 4 + size) return request;
      }
      const ssize_t got = recv(client, piece.data(), piece.size(), 0);
      if (got <= 0) return "POST / HTTP/1.1\r\n\r\n";
      request.append(piece.data(), static_cast<std::size_t>(got));
    }
  }

  Respond respond_;
  int listener_;
  std::uint16_t port_;
  std::thread thread_;
};

}  // namespace sojourn
