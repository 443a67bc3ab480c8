#include "apps/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "core/units.h"

namespace sojourn {

using namespace std::chrono_literals;

namespace {

void draw(double fraction, std::string_view what) {
  constexpr int width = 30;
  if (fraction < 0) {
    fmt::print(stderr, "\r\033[K  {}", what);
  } else {
    const int done = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
    fmt::print(stderr, "\r\033[K  [{}{}] {:3.0f} %  {}",
               std::string(static_cast<std::size_t>(done), '='),
               std::string(static_cast<std::size_t>(width - done), ' '), 100 * fraction, what);
  }
  std::fflush(stderr);
}

}  // namespace

Progress::Progress()
    : on_terminal_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now() + 300ms) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

bool Progress::due() {
  if (!on_terminal_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return false;
  next_ = now + 100ms;
  drawn_ = true;
  return true;
}

void Progress::show(double fraction, std::uint64_t packets) {
  if (due()) draw(fraction, format_count(packets) + " packets");
}

void Progress::show(double fraction, std::string_view what) {
  if (due()) draw(fraction, what);
}

}  // namespace sojourn
