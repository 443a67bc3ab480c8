#pragma once
// The figures of a live measurement, drawn again every second.

#include <chrono>
#include <string_view>

namespace sojourn {

/// Draws on the terminal's other screen, so that the report follows the command line when the
/// measurement is over, and what was there before is still there.  Follows changes of its size.
class LiveView {
 public:
  /// Without `wanted`, or where no screen is, it never draws.
  explicit LiveView(bool wanted);
  ~LiveView();
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  /// A second has passed, or the size has changed.
  bool due();
  void show(std::string_view text);

  /// For when the program has to end at once: gives the terminal back.  May be called in a signal
  /// handler.
  static void leave_screen();

 private:
  bool wanted_;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace sojourn
