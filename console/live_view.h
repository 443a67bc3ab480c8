#pragma once
// The figures of a live measurement, redrawn every second.

#include <chrono>
#include <string_view>

namespace sojourn {

/// Draws on the terminal's alternate screen, so that afterwards the report follows the command line
/// and the earlier content is still there.  Follows changes of its size.
class LiveView {
 public:
  /// Without `wanted`, or without a screen, it never draws.
  explicit LiveView(bool wanted);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// A second has passed, or the size has changed.
  bool due();
  void show(std::string_view text);

  /// For an immediate end of the program: restores the terminal.  Async-signal-safe.
  static void leave_screen();

 private:
  bool wanted_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sojourn
