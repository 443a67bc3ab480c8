#include "ipfix/transport/listener.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include "capture/unique_fd.h"
#include "ipfix/transport/connection.h"
#include "ipfix/transport/limited_log.h"
#include "ipfix/transport/sequence_tracker.h"
#include "ipfix/transport/tls.h"

namespace sojourn::ipfix {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t bytes_per_turn = 256 * 1024;  ///< of one connection before others have theirs
constexpr int datagrams_per_turn = 512;

Result<UniqueFd> bind_to(const SocketAddress& address, const Endpoint& endpoint,
                         const ListenerOptions& options) {
  const bool udp = endpoint.transport == Transport::udp;
  UniqueFd socket{::socket(address.family(),
                           (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
  if (!socket) return failure(std::strerror(errno));
  const int yes = 1, no = 0;
  if (!udp) ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (address.family() == AF_INET6)
    ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, endpoint.host.empty() ? &no : &yes,
                 sizeof no);
  if (udp) {
    const int size = static_cast<int>(options.receive_buffer_bytes);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  if (::bind(socket.get(), address.get(), address.length) != 0 ||
      (!udp && ::listen(socket.get(), 128) != 0))
    return failure(std::strerror(errno));
  return socket;
}

/// One that was counted since `before`; there may be others.
std::optional<Trouble> new_trouble(const TroubleCounters& before, const TroubleCounters& now) {
  for (std::size_t i = 0; i < TroubleCounters::size; ++i)
    if (const auto trouble = static_cast<Trouble>(i); now[trouble] != before[trouble])
      return trouble;
  return std::nullopt;
}

}  // namespace

class Listener::State {
 public:
  explicit State(const ListenerOptions& options) : options_(options) {}

  Result<void> open() {
    epoll_ = UniqueFd{::epoll_create1(EPOLL_CLOEXEC)};
    if (!epoll_) return failure(std::string{"cannot make an epoll: "} + std::strerror(errno));
    for (const Endpoint& endpoint : options_.endpoints) {
      if (endpoint.transport == Transport::tls && !tls_) {
        auto context = TlsContext::open(options_.tls);
        if (!context) return std::unexpected(context.error());
        tls_ = std::move(*context);
      }
      auto addresses = resolve(endpoint, true);
      if (!addresses) return std::unexpected(addresses.error());
      auto socket = bind_to(addresses->front(), endpoint, options_);
      if (!socket)
        return std::unexpected(
            socket.error().while_doing(fmt::format("cannot listen on {}", endpoint.to_string())));
      watch(socket->get(), EPOLLIN);
      doors_.push_back({std::move(*socket), endpoint.transport});
    }
    return {};
  }

  void poll(std::chrono::milliseconds timeout, const Deliver& deliver) {
    std::array<epoll_event, 64> events;
    const int count =
        ::epoll_wait(epoll_.get(), events.data(), events.size(), static_cast<int>(timeout.count()));
    now_ = Clock::now();
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      const auto door = std::ranges::find_if(
          doors_, [fd](const Door& candidate) { return candidate.socket.get() == fd; });
      if (door == doors_.end())
        read_connection(fd, deliver);
      else if (door->transport == Transport::udp)
        read_datagrams(*door, deliver);
      else
        accept_connections(*door);
    }
    if (now_ >= next_sweep_) sweep();
  }

  std::size_t open_connections() const { return connections_.size(); }
  std::vector<std::string> take_log() { return log_.take_lines(); }

  std::uint16_t port(std::size_t index) const {
    SocketAddress address;
    address.length = sizeof address.storage;
    ::getsockname(doors_[index].socket.get(), reinterpret_cast<sockaddr*>(&address.storage),
                  &address.length);
    return ntohs(address.family() == AF_INET
                     ? reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port
                     : reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port);
  }

 private:
  struct Door {
    UniqueFd socket;
    Transport transport;
  };
  /// What messages of one peer are read by.
  struct Peer {
    std::string name;
    Transport transport;
    Session session;
    std::map<std::uint32_t, SequenceTracker> domains = {};  ///< of those that are no points
    Clock::time_point heard = {};
  };
  struct Connected {
    Connection connection;
    Peer peer;
  };
  struct KnownPoint {
    SequenceTracker tracker;
    Clock::time_point heard;
  };

  void watch(int fd, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
  }

  void accept_connections(Door& door) {
    while (true) {
      SocketAddress address;
      address.length = sizeof address.storage;
      UniqueFd socket{::accept4(door.socket.get(), reinterpret_cast<sockaddr*>(&address.storage),
                                &address.length, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!socket) {
        if (errno == EMFILE || errno == ENFILE)
          log_.note("descriptors",
                    "no file descriptors left for another connection: raise the "
                    "limit with ulimit -n",
                    now_);
        return;
      }
      if (connections_.size() >= options_.most_connections) {
        ++counters_.refused_connections;
        log_.note("connections",
                  fmt::format("{} connections are open: no more are accepted (from {})",
                              connections_.size(), address.to_string()),
                  now_);
        continue;
      }
      ++counters_.connections;
      const int yes = 1, fd = socket.get();
      ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
      auto tls = door.transport == Transport::tls ? tls_->accept(fd) : nullptr;
      watch(fd, EPOLLIN);
      connections_.emplace(
          fd, Connected{Connection{std::move(socket), std::move(tls), now_},
                        Peer{address.to_string(), door.transport, Session{options_.session}}});
    }
  }

  void close(std::unordered_map<int, Connected>::iterator connected) {
    counters_.troubles += connected->second.peer.session.troubles();
    connections_.erase(connected);  // its descriptor leaves the epoll as it is closed
  }

  void read_connection(int fd, const Deliver& deliver) {
    const auto found = connections_.find(fd);
    if (found == connections_.end()) return;
    auto& [connection, peer] = found->second;
    std::size_t bytes = 0;
    while (bytes < bytes_per_turn) {
      const Connection::Read read = connection.read(now_);
      bytes += read.bytes;
      bool framed = true;
      connection.take_messages([&](std::span<const std::byte> message) {
        framed = take(message, peer, deliver);
        return framed;
      });
      if (!framed || connection.lost_frame()) {
        if (framed) decode_broken(connection, peer);
        ++counters_.closed_for_bad_messages;
        log_.note("bad " + host_of(peer.name),
                  fmt::format("{} sends something that is not IPFIX: the connection is closed",
                              peer.name),
                  now_);
        return close(found);
      }
      if (read.progress == Progress::again) return;
      if (read.progress == Progress::done) continue;
      if (read.progress == Progress::failed) tell_failure(connection, peer);
      return close(found);
    }
  }

  /// Counts why: the header is enough for that.
  void decode_broken(const Connection& connection, Peer& peer) {
    peer.session.decode(
        connection.waiting().first(std::min(connection.waiting().size(), header_bytes)), report_);
  }

  void tell_failure(const Connection& connection, const Peer& peer) {
    if (!connection.tls()) return;
    const bool certificate = connection.tls()->refused_certificate();
    if (certificate)
      ++counters_.refused_certificates;
    else if (connection.handshaking())
      ++counters_.failed_handshakes;
    log_.note((certificate ? "certificate " : "tls ") + host_of(peer.name),
              fmt::format("TLS with {} failed: {}", peer.name, connection.tls()->reason()), now_);
  }

  void read_datagrams(const Door& door, const Deliver& deliver) {
    for (int i = 0; i < datagrams_per_turn; ++i) {
      SocketAddress address;
      address.length = sizeof address.storage;
      const ssize_t size =
          ::recvfrom(door.socket.get(), datagram_.data(), datagram_.size(), 0,
                     reinterpret_cast<sockaddr*>(&address.storage), &address.length);
      if (size < 0) return;
      const std::string name = address.to_string();
      auto source = sources_.find(name);
      if (source == sources_.end()) {
        if (sources_.size() >= options_.most_datagram_sources) forget_oldest_source();
        source =
            sources_.emplace(name, Peer{name, Transport::udp, Session{options_.session}}).first;
      }
      take({datagram_.data(), static_cast<std::size_t>(size)}, source->second, deliver);
    }
  }

  void forget_oldest_source() {
    const auto oldest = std::ranges::min_element(
        sources_, {}, [](const auto& entry) { return entry.second.heard; });
    counters_.troubles += oldest->second.session.troubles();
    sources_.erase(oldest);
    ++counters_.forgotten_sources;
  }

  /// False if it is no message at all.
  bool take(std::span<const std::byte> message, Peer& peer, const Deliver& deliver) {
    peer.heard = now_;
    const TroubleCounters before = peer.session.troubles();
    const Decoded decoded = peer.session.decode(message, report_);
    if (const auto trouble = new_trouble(before, peer.session.troubles()))
      log_.note(
          "trouble " + host_of(peer.name),
          fmt::format("{} sends IPFIX that cannot be read in full ({}); /metrics of --web and "
                      "the report at the end have the counts",
                      peer.name, name_of(*trouble)),
          now_);
    if (!decoded.framed) return false;
    ++counters_.messages;
    counters_.bytes += message.size();
    counters_.data_records += decoded.data_records;
    counters_.records_without_label += report_.records_without_label;
    SequenceTracker* const tracker = tracker_of(decoded, peer);
    SequenceTracker::Verdict verdict;
    if (tracker)
      verdict = tracker->take(decoded.header.sequence, decoded.data_records, decoded.counted);
    // Others count in ways of their own: softflowd's numbers include the message itself.  Only of
    // points do we know that a number that came before means the same message.
    if (!decoded.from_a_point) verdict.repeated = false;
    counters_.missing_records += verdict.missing;
    counters_.repeated_messages += verdict.repeated;
    report_.missing_records = verdict.missing;
    if (decoded.data_records == 0 && verdict.missing == 0) return true;  // templates
    Delivery delivery{report_,   decoded.header.domain, peer.transport,
                      peer.name, decoded.from_a_point,  verdict.repeated};
    deliver(delivery);
    return true;
  }

  /// Of a point by its instance, whichever session its messages come in.  A message of templates
  /// does not say whose it is; it counts nothing.
  SequenceTracker* tracker_of(const Decoded& decoded, Peer& peer) {
    if (!decoded.from_a_point) {
      if (decoded.counted && decoded.data_records == 0) return nullptr;
      if (!peer.domains.contains(decoded.header.domain) &&
          peer.domains.size() >= options_.session.limits.domains)
        return nullptr;
      return &peer.domains[decoded.header.domain];
    }
    const std::uint64_t instance = report_.point.instance;
    auto known = points_.find(instance);
    if (known == points_.end()) {
      if (points_.size() >= options_.most_points)
        points_.erase(std::ranges::min_element(
            points_, {}, [](const auto& entry) { return entry.second.heard; }));
      known = points_.emplace(instance, KnownPoint{}).first;
    }
    known->second.heard = now_;
    return &known->second.tracker;
  }

  /// Peers that make us wait.
  void sweep() {
    next_sweep_ = now_ + std::chrono::seconds{1};
    for (auto next = connections_.begin(); next != connections_.end();) {
      const auto connected = next++;
      const auto& [connection, peer] = connected->second;
      const bool spoke = peer.heard != Clock::time_point{};
      const auto silent = now_ - connection.heard();
      const bool waits = connection.handshaking() || !spoke || !connection.waiting().empty();
      // Who sends a byte now and then is slow as well: a message has to be whole in time.
      const auto since =
          spoke && waits ? now_ - connection.message_began() : now_ - connection.opened();
      if (!(waits && since > options_.patience) && silent <= options_.idle) continue;
      ++counters_.closed_for_slowness;
      log_.note("slow " + host_of(peer.name),
                fmt::format("{} kept a message waiting or was silent: the connection is closed",
                            peer.name),
                now_);
      close(connected);
    }
    std::erase_if(sources_, [&](const auto& entry) {
      const bool gone = now_ - entry.second.heard > options_.idle;
      if (gone) counters_.troubles += entry.second.session.troubles();
      counters_.forgotten_sources += gone;
      return gone;
    });
  }

  /// Without the port, which differs each time.
  static std::string host_of(const std::string& name) { return name.substr(0, name.rfind(':')); }

  friend class Listener;
  ListenerOptions options_;
  UniqueFd epoll_;
  std::unique_ptr<TlsContext> tls_;
  std::vector<Door> doors_;
  std::unordered_map<int, Connected> connections_;
  std::unordered_map<std::string, Peer> sources_;
  std::unordered_map<std::uint64_t, KnownPoint> points_;
  std::array<std::byte, most_message_bytes> datagram_;
  PointReport report_;
  ListenerCounters counters_;
  LimitedLog log_;
  Clock::time_point now_ = Clock::now();
  Clock::time_point next_sweep_ = now_;
};

Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}
Listener::~Listener() = default;

Result<std::unique_ptr<Listener>> Listener::open(const ListenerOptions& options) {
  auto state = std::make_unique<State>(options);
  if (auto opened = state->open(); !opened) return std::unexpected(opened.error());
  return std::unique_ptr<Listener>{new Listener{std::move(state)}};
}

void Listener::poll(std::chrono::milliseconds timeout, const Deliver& deliver) {
  state_->poll(timeout, deliver);
}

ListenerCounters Listener::counters() const {
  ListenerCounters all = state_->counters_;
  for (const auto& [fd, connected] : state_->connections_)
    all.troubles += connected.peer.session.troubles();
  for (const auto& [name, source] : state_->sources_) all.troubles += source.session.troubles();
  return all;
}
std::size_t Listener::open_connections() const { return state_->open_connections(); }
std::uint16_t Listener::port(std::size_t index) const { return state_->port(index); }
std::vector<std::string> Listener::take_log() { return state_->take_log(); }

}  // namespace sojourn::ipfix
