#include "apps/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/units.h"

namespace sojourn {

using namespace std::chrono_literals;

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now() + 300ms) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::show(double fraction, std::uint64_t packets) {
  if (!on_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  drawn_ = true;
  constexpr int width = 30;
  if (fraction < 0) {
    fmt::print(stderr, "\r\033[K  {} packets", format_count(packets));
  } else {
    const int done = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
    fmt::print(stderr, "\r\033[K  [{}{}] {:3.0f} %  {} packets", std::string(static_cast<std::size_t>(done), '='),
               std::string(static_cast<std::size_t>(width - done), ' '), 100 * fraction, format_count(packets));
  }
  std::fflush(stderr);
}

}  // namespace sojourn
