#pragma once
// What a thread that measures or collects has to show: it writes, and the threads of the server
// read.

#include <mutex>
#include <utility>

namespace sojourn::web {

template <class T>
class Latest {
 public:
  void set(T value) {
    const std::lock_guard lock{mutex_};
    value_ = std::move(value);
  }
  T get() const {
    const std::lock_guard lock{mutex_};
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace sojourn::web
