#pragma once
// One client of server-sent events, and its send queue.

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

#include "web/api/query_string.h"

namespace sojourn::web {

/// The server's thread reads, the worker's writes.  A client that reads too slowly is disconnected:
/// it reconnects and asks for everything.
class LiveStream {
 public:
  static constexpr std::size_t most_waiting = std::size_t{1} << 20;

  explicit LiveStream(QueryString query) : query_(std::move(query)) {}
  const QueryString& query() const { return query_; }

  /// `wake` is called, with the lock held, if the reader sleeps.
  void give(std::string_view event, const std::function<void()>& wake) {
    const std::lock_guard lock{mutex_};
    if (closed_) return;
    if (waiting_.size() + event.size() > most_waiting)
      ended_ = true;
    else
      waiting_ += event;
    if (std::exchange(asleep_, false)) wake();
  }
  void end(const std::function<void()>& wake) {
    const std::lock_guard lock{mutex_};
    if (closed_) return;
    ended_ = true;
    if (std::exchange(asleep_, false)) wake();
  }

  /// The number of bytes read; 0 after `sleep` was called, with the lock held; -1 at the end.
  std::ptrdiff_t take(char* buffer, std::size_t room, const std::function<void()>& sleep) {
    const std::lock_guard lock{mutex_};
    if (waiting_.empty() && ended_) return -1;
    if (waiting_.empty()) {
      asleep_ = true;
      sleep();
      return 0;
    }
    const std::size_t size = std::min(room, waiting_.size());
    std::memcpy(buffer, waiting_.data(), size);
    waiting_.erase(0, size);
    return static_cast<std::ptrdiff_t>(size);
  }

  /// The connection is gone: there is nothing to wake any more.
  void close() {
    const std::lock_guard lock{mutex_};
    closed_ = true;
  }

 private:
  QueryString query_;
  std::mutex mutex_;
  std::string waiting_;
  bool asleep_ = false, ended_ = false, closed_ = false;
};

}  // namespace sojourn::web
