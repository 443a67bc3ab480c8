#pragma once
// How requests ended.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "export/json_values.h"

namespace sojourn::web {

class HttpCounters {
 public:
  void count(int status) {
    const std::lock_guard lock{mutex_};
    ++statuses_[status];
  }
  void count_slow(std::size_t ended) { slow_ += ended; }

  Json to_json() const {
    const std::lock_guard lock{mutex_};
    Json statuses = Json::object();
    for (const auto& [status, count] : statuses_) statuses[std::to_string(status)] = count;
    return {{"replies", statuses}, {"too_slow", slow_.load()}};
  }

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> statuses_;
  std::atomic<std::uint64_t> slow_ = 0;
};

}  // namespace sojourn::web
