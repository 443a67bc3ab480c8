#pragma once
// A line on the terminal that says how far long work has come.

#include <chrono>
#include <cstdint>
#include <string_view>

namespace sojourn {

/// Draws on standard error, only if that is a terminal, a few times a second, and wipes its line
/// when it goes out of scope.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` from 0 to 1, negative if nobody can tell.
  void show(double fraction, std::uint64_t packets);
  /// The same with words about what is being done.
  void show(double fraction, std::string_view what);

 private:
  bool due();

  bool on_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sojourn
