#include "ipfix/transport/exporter.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace sojourn::ipfix {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds connect_patience{10'000};
constexpr milliseconds goodbye_patience{2'000};
/// A burst of datagrams that receivers' buffers hold, and a breath behind it.
constexpr int datagrams_per_burst = 64;

Timestamp wall_clock() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

std::unexpected<Error> system_failure() { return failure(std::strerror(errno)); }

}  // namespace

Exporter::Exporter(const ExporterOptions& options, Spool& spool, std::unique_ptr<TlsContext> tls)
    : options_(options),
      spool_(spool),
      tls_(std::move(tls)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Result<std::unique_ptr<Exporter>> Exporter::open(const ExporterOptions& options, Spool& spool) {
  std::unique_ptr<TlsContext> tls;
  if (options.collector.transport == Transport::tls) {
    auto context = TlsContext::open(options.tls);
    if (!context) return std::unexpected(context.error());
    tls = std::move(*context);
  }
  return std::unique_ptr<Exporter>{new Exporter{options, spool, std::move(tls)}};
}

Exporter::~Exporter() {
  if (thread_.joinable()) finish(milliseconds{0});
}

void Exporter::start() {
  thread_ = std::thread{[this] { run(); }};
}

void Exporter::wake() {
  const std::uint64_t one = 1;
  if (::write(wake_.get(), &one, sizeof one) < 0) return;  // full: it is awake
}

bool Exporter::finish(milliseconds patience) {
  deadline_ = Clock::now() + patience;
  finishing_ = true;
  wake();
  if (thread_.joinable()) thread_.join();
  return !spool_.next();
}

std::vector<std::string> Exporter::take_log() {
  const std::lock_guard lock{log_mutex_};
  return log_.take_lines();
}

/// finish() was called, and either nothing waits or the time is up.
bool Exporter::over() const {
  if (!finishing_) return false;
  return Clock::now() >= deadline_.load() || !spool_.next();
}

void Exporter::run() {
  milliseconds next_pause = options_.first_pause;
  while (!over()) {
    auto served = connect();
    if (served) {
      connected_ = true;
      ++sessions_;
      next_pause = options_.first_pause;
      served = serve();
    }
    connected_ = false;
    close();
    if (served) return;
    // What this session sent may not have been read: it waits again.
    if (options_.collector.transport != Transport::udp) spool_.rewind();
    {
      const std::lock_guard lock{log_mutex_};
      const std::string line =
          fmt::format("collector {}: {}", options_.collector.to_string(), served.error().message);
      log_.note(line, line + "; what is measured waits in the spool", Clock::now());
    }
    if (!over()) pause(next_pause);
    next_pause = std::min(options_.longest_pause, next_pause * 2);
  }
}

void Exporter::close() {
  stream_.reset();
  socket_ = UniqueFd{};
}

/// Waits for the socket or, if no events are asked for, for wake(); true if the socket is ready.
bool Exporter::wait(short events, milliseconds longest) {
  std::array<pollfd, 2> both{{{wake_.get(), POLLIN, 0}, {socket_.get(), events, 0}}};
  // While a message is being written, news about the spool can wait.
  if (events & POLLOUT) both[0].events = 0;
  ::poll(both.data(), both.size(), static_cast<int>(longest.count()));
  if (both[0].revents & POLLIN) {
    std::uint64_t count = 0;
    if (::read(wake_.get(), &count, sizeof count) < 0) return false;
  }
  return both[1].revents != 0;
}

/// News about the spool do not make the collector come back sooner; finish() does end it.
void Exporter::pause(milliseconds longest) {
  const auto end = Clock::now() + longest;
  while (Clock::now() < end && !over()) {
    pollfd bell{wake_.get(), POLLIN, 0};
    const auto rest = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    ::poll(&bell, 1, static_cast<int>(std::clamp<std::int64_t>(rest.count(), 1, 100)));
    std::uint64_t count = 0;
    if ((bell.revents & POLLIN) && ::read(wake_.get(), &count, sizeof count) < 0) return;
  }
}

Result<void> Exporter::connect() {
  const auto addresses = resolve(options_.collector, false);
  if (!addresses) return std::unexpected(addresses.error());
  Result<void> connected = failure("it has no address");
  for (const SocketAddress& address : *addresses) {
    connected = connect_to(address);
    if (connected) break;
  }
  if (!connected) return connected;
  if (tls_)
    if (auto done = shake_hands(); !done) return done;
  return {};
}

Result<void> Exporter::connect_to(const SocketAddress& address) {
  const bool udp = options_.collector.transport == Transport::udp;
  socket_ = UniqueFd{::socket(address.family(),
                              (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket_) return system_failure();
  if (!udp) {
    const int yes = 1;
    const unsigned timeout_ms = 60'000;
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof timeout_ms);
  }
  if (::connect(socket_.get(), address.get(), address.length) == 0) return {};
  if (errno != EINPROGRESS) return system_failure();
  const auto end = Clock::now() + connect_patience;
  while (!wait(POLLOUT, milliseconds{100}))
    if (Clock::now() > end || over()) return failure("no answer");
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return failure(std::strerror(error));
  return {};
}

Result<void> Exporter::shake_hands() {
  stream_ = tls_->connect(socket_.get(), options_.collector.host);
  const auto end = Clock::now() + connect_patience;
  while (true) {
    const Progress progress = stream_->handshake();
    if (progress == Progress::done) return {};
    if (progress != Progress::again) return failure("TLS failed: " + stream_->reason());
    if (Clock::now() > end || over()) return failure("no answer to the TLS handshake");
    wait(stream_->wants_write() ? POLLOUT : POLLIN, milliseconds{100});
  }
}

Result<void> Exporter::send_templates() {
  for (const auto& message : template_messages(options_.writer, wall_clock()))
    if (auto done = send(message); !done) return done;
  templates_sent_ = Clock::now();
  return {};
}

/// Until the session breaks (an error), or all is sent and finish() was called.
Result<void> Exporter::serve() {
  const bool udp = options_.collector.transport == Transport::udp;
  spool_.rewind();
  if (auto done = send_templates(); !done) return done;
  while (!over()) {
    if (udp && Clock::now() - templates_sent_ > options_.template_interval)
      if (auto done = send_templates(); !done) return done;
    if (auto alive = look_for_the_end(); !alive) return alive;
    const auto message = spool_.next();
    if (message) {
      if (auto done = send(*message); !done) return done;
      spool_.sent(Clock::now());
    }
    spool_.confirm(udp ? Clock::now() : Clock::now() - options_.confirm_after);
    if (!message) wait(POLLIN, milliseconds{200});
  }
  return part();
}

/// All is written; has it been read?  The collector ends the session when it has come to our end of
/// it; an alert or a reset says that it has not.  By TLS 1.3 we may have written everything before
/// we hear that our certificate is refused.  Other collectors may say nothing: they have a while.
Result<void> Exporter::part() {
  if (options_.collector.transport == Transport::udp) return {};
  if (stream_)
    stream_->say_goodbye();
  else
    ::shutdown(socket_.get(), SHUT_WR);
  const auto end = std::min(deadline_.load(), Clock::now() + goodbye_patience);
  std::array<std::byte, 512> bytes;
  while (Clock::now() < end) {
    if (stream_) {
      const auto [progress, size] = stream_->read(bytes);
      if (progress == Progress::failed) return failure("TLS failed: " + stream_->reason());
      if (progress == Progress::closed)
        return stream_->ended_properly() ? Result<void>{} : failure("it cut the connection");
    } else {
      const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
      if (size == 0) return {};
      if (size < 0 && errno != EAGAIN && errno != EINTR) return system_failure();
    }
    wait(POLLIN, milliseconds{50});
  }
  return {};
}

/// A collector sends nothing: what can be read is its end, or an alert of TLS.
Result<void> Exporter::look_for_the_end() {
  std::array<std::byte, 512> bytes;
  if (stream_) {
    const auto [progress, size] = stream_->read(bytes);
    if (progress == Progress::failed) return failure("TLS failed: " + stream_->reason());
    if (progress == Progress::closed) return failure("it closed the connection");
    return {};
  }
  const ssize_t size = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (size == 0 && options_.collector.transport != Transport::udp)
    return failure("it closed the connection");
  if (size < 0 && errno != EAGAIN && errno != EINTR) return system_failure();
  return {};
}

Result<void> Exporter::send(std::span<const std::byte> message) {
  const bool udp = options_.collector.transport == Transport::udp;
  if (udp && ++datagrams_ % datagrams_per_burst == 0) std::this_thread::sleep_for(milliseconds{1});
  while (!message.empty()) {
    if (stream_) {
      const auto [progress, size] = stream_->write(message);
      if (progress == Progress::failed || progress == Progress::closed)
        return failure("TLS failed: " + stream_->reason());
      message = message.subspan(size);
      if (progress == Progress::done) continue;
    } else {
      const ssize_t size = ::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL);
      if (size >= 0) {
        message = message.subspan(static_cast<std::size_t>(size));
        continue;
      }
      if (errno != EAGAIN && errno != EINTR) return system_failure();
    }
    // A slow reader: the spool takes what comes meanwhile.
    wait(POLLOUT, milliseconds{100});
    if (finishing_ && Clock::now() >= deadline_.load()) return failure("it reads too slowly");
  }
  return {};
}

}  // namespace sojourn::ipfix
