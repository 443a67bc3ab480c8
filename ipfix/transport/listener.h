#pragma once
// Takes IPFIX from any number of points, over TCP, TLS and UDP, in one thread that never blocks.
//
//     auto listener = Listener::open({.endpoints = {Endpoint{.port = 4739}}});
//     while (!stop) {
//       (*listener)->poll(100ms, [&](Delivery& delivery) { collector.take(delivery.report); });
//       for (const std::string& line : (*listener)->take_log()) warn(line);
//     }

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/report/point_report.h"
#include "core/result.h"
#include "ipfix/message.h"
#include "ipfix/session.h"
#include "ipfix/transport/endpoint.h"
#include "ipfix/trouble.h"

namespace sojourn::ipfix {

struct ListenerOptions {
  std::vector<Endpoint> endpoints;
  TlsFiles tls = {};  ///< for endpoints of transport tls
  SessionOptions session = {};
  std::size_t most_connections = 1'024;
  std::size_t most_datagram_sources = 4'096;  ///< UDP: sessions that are remembered
  std::size_t most_points = 65'536;           ///< whose sequence numbers are remembered
  std::chrono::seconds patience{30};  ///< for a handshake, a first message, the rest of a message
  std::chrono::seconds idle{1'800};   ///< then a silent peer is forgotten
  std::size_t receive_buffer_bytes = std::size_t{4} << 20;  ///< of the kernel, for UDP
};

/// One message.  `report` may be moved from.
struct Delivery {
  PointReport& report;
  std::uint32_t domain = 0;
  Transport transport = Transport::tcp;
  const std::string& peer;    ///< "192.0.2.1:4739"
  bool from_a_point = false;  ///< it says whose it is; else somebody else's flows
  bool repeated = false;      ///< of a point, and by its sequence number it came before
};

struct ListenerCounters {
  std::uint64_t connections = 0;              ///< that were accepted, in all
  std::uint64_t refused_connections = 0;      ///< there were too many
  std::uint64_t refused_certificates = 0;     ///< missing, or not signed by our authority
  std::uint64_t failed_handshakes = 0;        ///< for another reason
  std::uint64_t closed_for_slowness = 0;      ///< silent, or in the middle of a message, too long
  std::uint64_t closed_for_bad_messages = 0;  ///< no IPFIX: where the next begins nobody knows
  std::uint64_t forgotten_sources = 0;        ///< of UDP
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t data_records = 0;
  std::int64_t missing_records = 0;  ///< by sequence numbers; late ones are subtracted
  std::uint64_t repeated_messages = 0;
  std::uint64_t records_without_label = 0;
  TroubleCounters troubles;  ///< of all sessions
};

/// Memory is bounded: per connection one message (64 KiB) and the templates that Limits allow.
class Listener {
 public:
  using Deliver = std::function<void(Delivery&)>;

  /// Binds all endpoints; whoever drops privileges does it afterwards.
  static Result<std::unique_ptr<Listener>> open(const ListenerOptions& options);
  ~Listener();

  /// Waits at most so long for something to come, and hands over what did.
  void poll(std::chrono::milliseconds timeout, const Deliver& deliver);

  ListenerCounters counters() const;
  std::size_t open_connections() const;
  /// The port of endpoint `index`, for those who asked for port 0.
  std::uint16_t port(std::size_t index = 0) const;
  /// Lines for the log: one a day for each cause.
  std::vector<std::string> take_log();

 private:
  class State;
  explicit Listener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace sojourn::ipfix
