#pragma once
// A point and a collector on the loopback interface, for tests.

#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "capture/unique_fd.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/endpoint.h"
#include "ipfix/transport/listener.h"
#include "ipfix/transport/spool.h"

namespace sojourn::ipfix {

using std::chrono::milliseconds;

inline FlowRecord numbered_flow(std::uint32_t number) {
  FlowRecord record;
  record.key = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.1"), 1, 2, 6};
  record.packets = 2;
  record.first_label = number;
  record.last_label = ~number;
  return record;
}

/// `count` records from `first` on into a spool, as a point would.
inline void write_flows(Spool& spool, std::uint32_t first, std::uint32_t count,
                        std::uint64_t& next_number, std::uint64_t instance = 77,
                        std::size_t most_bytes = 1'000) {
  MessageWriter writer{{.domain = 5, .most_bytes = most_bytes},
                       [&](const Message& message) { spool.append(message); }};
  writer.begin({"north", instance}, next_number, timestamp_from_ns(1'700'000'000'000'000'000));
  std::vector<FlowRecord> records;
  for (std::uint32_t i = 0; i < count; ++i) records.push_back(numbered_flow(first + i));
  writer.flows(records);
  writer.end();
  next_number = writer.next_number();
}

/// What a listener has handed over.
struct Received {
  std::vector<std::uint32_t> labels;
  std::vector<std::uint64_t> numbers;
  std::int64_t missing = 0;
  std::uint64_t repeated = 0;

  Listener::Deliver take() {
    return [this](Delivery& delivery) {
      missing += delivery.report.missing_records;
      repeated += delivery.repeated;
      if (delivery.repeated) return;
      numbers.push_back(delivery.report.number);
      for (const FlowRecord& record : delivery.report.records) labels.push_back(record.first_label);
    };
  }
};

/// Polls until `done` or twenty seconds have passed.
inline bool poll_until(Listener& listener, const Listener::Deliver& deliver,
                       const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!done() && std::chrono::steady_clock::now() < end)
    listener.poll(milliseconds{20}, deliver);
  return done();
}

/// Waits until `done` or twenty seconds have passed.
inline bool comes_true(const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (std::chrono::steady_clock::now() < end) {
    if (done()) return true;
    std::this_thread::sleep_for(milliseconds{2});
  }
  return false;
}

/// A TCP port on loopback where nobody listens, and that no other program gets meanwhile: it is
/// bound.  A Listener can take it all the same, since both allow it (SO_REUSEADDR).
class KeptPort {
 public:
  KeptPort() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    const int yes = 1;
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_.get(), any, size) == 0 && ::getsockname(socket_.get(), any, &size) == 0)
      port_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }  // 0: there was none

 private:
  UniqueFd socket_;
  std::uint16_t port_ = 0;
};

inline ListenerOptions listen_on(Transport transport, std::uint16_t port = 0) {
  ListenerOptions options;
  options.endpoints = {{transport, "127.0.0.1", port}};
  return options;
}

}  // namespace sojourn::ipfix
