#include "console/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/units.h"

namespace sojourn {

using namespace std::chrono_literals;

namespace {

/// It cannot return to the beginning of a line.
bool dumb() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view{terminal} == "dumb";
}

void put_on_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void draw(double fraction, std::string_view what) {
  constexpr int width = 30;
  if (fraction < 0) return put_on_stderr(fmt::format("\r\033[K  {}", what));
  const int done = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
  put_on_stderr(fmt::format(
      "\r\033[K  [{}{}] {:3.0f} %  {}", std::string(static_cast<std::size_t>(done), '='),
      std::string(static_cast<std::size_t>(width - done), ' '), 100 * fraction, what));
}

}  // namespace

Progress::Progress()
    : on_terminal_(isatty(STDERR_FILENO) != 0 && !dumb()),
      next_(std::chrono::steady_clock::now() + 300ms) {}

Progress::~Progress() {
  if (drawn_) put_on_stderr("\r\033[K");
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
