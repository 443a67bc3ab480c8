#pragma once
// Sends what is in the spool to a collector, in a thread of its own: whatever the network does, the
// packets' thread does not wait.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"
#include "ipfix/message_writer.h"
#include "ipfix/transport/endpoint.h"
#include "ipfix/transport/limited_log.h"
#include "ipfix/transport/spool.h"
#include "ipfix/transport/tls.h"

namespace sojourn::ipfix {

struct ExporterOptions {
  Endpoint collector;
  TlsFiles tls = {};
  WriterOptions writer = {};  ///< for the templates
  /// Over UDP templates are sent again so often (RFC 7011 section 8.4).
  std::chrono::seconds template_interval{30};
  /// TCP: what went out so long ago in a session that lives has arrived.
  std::chrono::milliseconds confirm_after{10'000};
  std::chrono::milliseconds first_pause{250}, longest_pause{15'000};  ///< between attempts
};

/// One collector.  A session that breaks is opened again, first at once, then at longer intervals.
class Exporter {
 public:
  /// Reads the certificates; nothing is sent before start().  The spool must outlive it.
  static Result<std::unique_ptr<Exporter>> open(const ExporterOptions& options, Spool& spool);
  ~Exporter();

  void start();
  /// There is something new in the spool.
  void wake();
  /// Sends what waits, for at most so long, and ends.  True if nothing waits any more.
  bool finish(std::chrono::milliseconds patience);

  bool connected() const { return connected_; }
  /// Sessions begun so far; a test sees by it that a lost one is begun anew.
  std::uint64_t sessions() const { return sessions_; }
  std::vector<std::string> take_log();

 private:
  using Clock = std::chrono::steady_clock;

  Exporter(const ExporterOptions& options, Spool& spool, std::unique_ptr<TlsContext> tls);
  void run();
  Result<void> connect();
  Result<void> connect_to(const SocketAddress& address);
  Result<void> shake_hands();
  Result<void> serve();
  Result<void> part();
  Result<void> send(std::span<const std::byte> message);
  Result<void> send_templates();
  Result<void> look_for_the_end();
  bool wait(short events, std::chrono::milliseconds longest);
  void pause(std::chrono::milliseconds longest);
  bool over() const;
  void close();

  ExporterOptions options_;
  Spool& spool_;
  std::unique_ptr<TlsContext> tls_;
  UniqueFd wake_, socket_;
  std::unique_ptr<TlsStream> stream_;
  Clock::time_point templates_sent_{};
  int datagrams_ = 0;  ///< since the last short pause
  std::atomic<bool> connected_ = false, finishing_ = false;
  std::atomic<std::uint64_t> sessions_ = 0;
  std::atomic<Clock::time_point> deadline_{Clock::time_point::max()};
  std::mutex log_mutex_;
  LimitedLog log_;
  std::thread thread_;
};

}  // namespace sojourn::ipfix
