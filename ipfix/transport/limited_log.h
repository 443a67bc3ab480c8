#pragma once
// A line for the log the first time something happens, and then once a day: not a flood.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sojourn::ipfix {

/// Memory is bounded: beyond `most_causes` new causes are not told.
class LimitedLog {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t most_causes = 1'000;
  static constexpr std::chrono::hours pause{24};

  /// Logs `line`, at most once a day for each `cause`.
  void note(const std::string& cause, const std::string& line, Clock::time_point now) {
    auto known = causes_.find(cause);
    if (known == causes_.end()) {
      if (causes_.size() >= most_causes) return;
      known = causes_.emplace(cause, Cause{}).first;
    } else if (now - known->second.told < pause) {
      return void(++known->second.since);
    }
    lines_.push_back(known->second.since == 0
                         ? line
                         : line + " (and " + std::to_string(known->second.since) +
                               " times more since the last such line)");
    known->second = {now, 0};
  }

  /// What to print now.
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  struct Cause {
    Clock::time_point told{};
    std::uint64_t since = 0;
  };
  std::unordered_map<std::string, Cause> causes_;
  std::vector<std::string> lines_;
};

}  // namespace sojourn::ipfix
