#include "store/clickhouse/http_client.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>

namespace sojourn::clickhouse {
namespace {

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::unexpected<Error> system_failure(int error) { return failure(std::strerror(error)); }

}  // namespace

Result<void> wait_for(int descriptor, short events, Duration patience) {
  pollfd entry{descriptor, events, 0};
  const auto wait =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(patience).count());
  while (true) {
    const int ready = poll(&entry, 1, wait);
    if (ready > 0) return {};
    if (ready == 0) return failure("no answer");
    if (errno != EINTR) return system_failure(errno);
  }
}

namespace {

Result<Socket> connect_to(const HostPort& server, Duration patience) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* raw = nullptr;
  const std::string port = std::to_string(server.port);
  if (const int error = getaddrinfo(server.host.c_str(), port.c_str(), &hints, &raw); error != 0)
    return failure(gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all{raw, freeaddrinfo};
  std::optional<Error> first;
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
    Socket socket{::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                           each->ai_protocol)};
    Result<void> done;
    if (socket.get() < 0)
      done = system_failure(errno);
    else if (connect(socket.get(), each->ai_addr, each->ai_addrlen) != 0)
      done = errno == EINPROGRESS ? wait_for(socket.get(), POLLOUT, patience)
                                  : Result<void>{system_failure(errno)};
    int error = 0;
    socklen_t size = sizeof error;
    if (done && getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0)
      done = system_failure(error);
    if (done) return socket;
    if (!first) first = done.error();
  }
  return std::unexpected(first.value_or(Error{"no address"}));
}

class PlainChannel final : public HttpChannel {
 public:
  explicit PlainChannel(int socket) : socket_(socket) {}

  Result<void> send_all(std::string_view bytes, Duration patience) override {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        if (auto ready = wait_for(socket_, POLLOUT, patience); !ready) return ready;
      } else if (errno != EINTR) {
        return system_failure(errno);
      }
    }
    return {};
  }

  Result<std::string> receive_all(Duration patience) override {
    std::string bytes;
    while (true) {
      if (auto ready = wait_for(socket_, POLLIN, patience); !ready)
        return std::unexpected(ready.error());
      const std::size_t before = bytes.size();
      const std::size_t room = std::clamp<std::size_t>(before, 65'536, std::size_t{8} << 20);
      if (before + room > largest_answer) return failure("the answer is longer than 2 GiB");
      bytes.resize(before + room);
      const ssize_t got = recv(socket_, bytes.data() + before, room, 0);
      const int error = errno;
      bytes.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got == 0) return bytes;
      if (got < 0 && error != EAGAIN && error != EINTR) return system_failure(error);
    }
  }

 private:
  int socket_;
};

/// The value of a header, lower case; empty if it is missing.
std::string header_value(std::string_view head, std::string_view name) {
  std::string lower{head};
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char byte) { return static_cast<char>(std::tolower(byte)); });
  const auto at = lower.find("\r\n" + std::string{name} + ":");
  if (at == std::string::npos) return {};
  const auto begin = lower.find_first_not_of(" \t", at + 3 + name.size());
  if (begin == std::string::npos) return {};
  return lower.substr(begin, lower.find("\r\n", begin) - begin);
}

/// RFC 9112 section 7.1: length in hexadecimal, bytes, and an empty piece at the end.
Result<std::string> join_chunks(std::string_view rest) {
  std::string body;
  while (true) {
    const auto line = rest.find("\r\n");
    if (line == std::string_view::npos) return failure("the answer ended early");
    std::size_t size = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + line, size, 16);
    if (read.ec != std::errc{} || read.ptr == rest.data()) return failure("not an answer of HTTP");
    rest.remove_prefix(line + 2);
    if (size == 0) return body;
    if (size > rest.size() || rest.size() - size < 2) return failure("the answer ended early");
    body.append(rest.substr(0, size));
    rest.remove_prefix(size + 2);
  }
}

}  // namespace

Result<HttpAnswer> parse_http_answer(std::string_view bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return failure("the answer ended early");
  const std::string_view head = bytes.substr(0, end + 2);
  std::string_view body = bytes.substr(end + 4);
  HttpAnswer answer;
  const auto space = head.find(' ');
  if (!head.starts_with("HTTP/1.") || space == std::string_view::npos ||
      std::from_chars(head.data() + space + 1, head.data() + head.size(), answer.status).ec !=
          std::errc{})
    return failure("not an answer of HTTP");
  if (header_value(head, "transfer-encoding") == "chunked") {
    auto joined = join_chunks(body);
    if (!joined) return std::unexpected(joined.error());
    answer.body = std::move(*joined);
    return answer;
  }
  const std::string length = header_value(head, "content-length");
  if (!length.empty()) {
    std::size_t size = 0;
    std::from_chars(length.data(), length.data() + length.size(), size);
    if (body.size() < size) return failure("the answer ended early");
    body = body.substr(0, size);
  }
  answer.body = body;
  return answer;
}

Result<std::unique_ptr<HttpChannel>> open_plain(int socket, const HttpPatience&) {
  return std::make_unique<PlainChannel>(socket);
}

Result<HttpAnswer> http_post(const HostPort& server, const std::string& target,
                             const std::string& headers, std::string_view body,
                             const HttpPatience& patience, const OpenChannel& open) {
  auto socket = connect_to(server, patience.connecting);
  if (!socket) return std::unexpected(socket.error());
  const std::string head = fmt::format(
      "POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n", target,
      server.to_string(), body.size(), headers);
  const auto channel = open(socket->get(), patience);
  if (!channel) return std::unexpected(channel.error());
  // A server that refuses early says why before it closes, so its response is always read.
  auto sent = (*channel)->send_all(head, patience.answering);
  if (sent) sent = (*channel)->send_all(body, patience.answering);
  auto bytes = (*channel)->receive_all(patience.answering);
  if (!bytes) return std::unexpected(sent ? bytes.error() : sent.error());
  return parse_http_answer(*bytes);
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (std::isalnum(byte) != 0 || each == '_' || each == '-' || each == '.')
      out.push_back(each);
    else
      out += fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace sojourn::clickhouse
