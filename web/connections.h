#pragma once
// The open connections, and those that have exceeded their deadline.

#include <sys/socket.h>

#include <chrono>
#include <list>
#include <mutex>

namespace sojourn::web {

/// libmicrohttpd closes a connection without traffic.  One that sends a byte now and then would
/// stay open.  So each request has a deadline, from its first byte to its last and to the end of
/// the reply.  Streams have none.
class Connections {
 public:
  using Clock = std::chrono::steady_clock;
  enum class State : unsigned char { waiting, answering, streaming };

  struct Entry {
    int socket = -1;
    State state = State::waiting;
    Clock::time_point since{};
  };

  Entry* opened(int socket) {
    const std::lock_guard lock{mutex_};
    entries_.push_back({socket, State::waiting, Clock::now()});
    return &entries_.back();
  }
  void closed(const Entry* entry) {
    const std::lock_guard lock{mutex_};
    entries_.remove_if([&](const Entry& each) { return &each == entry; });
  }
  void now_in(Entry* entry, State state) {
    const std::lock_guard lock{mutex_};
    entry->state = state;
    entry->since = Clock::now();
  }
  /// Closes connections past their deadline.  Their sockets are still ours while the lock is held.
  std::size_t end_slow(Clock::time_point now, Clock::duration to_ask, Clock::duration to_read) {
    const std::lock_guard lock{mutex_};
    std::size_t ended = 0;
    for (Entry& entry : entries_) {
      if (entry.state == State::streaming) continue;
      if (now - entry.since < (entry.state == State::waiting ? to_ask : to_read)) continue;
      shutdown(entry.socket, SHUT_RDWR);
      ++ended;
    }
    return ended;
  }
  std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return entries_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace sojourn::web
