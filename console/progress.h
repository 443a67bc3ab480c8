#pragma once
// A progress line on the terminal for long work.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace sojourn {

/// Draws on standard error, only if that is a terminal, a few times a second, and clears its line
/// when it goes out of scope.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1, negative if unknown.
  void show(double fraction, std::uint64_t packets);
  /// The same with a description of the current step.
  void show(double fraction, std::string_view what);

 private:
  bool due();

  bool on_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sojourn
