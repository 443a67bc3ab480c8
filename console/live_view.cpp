#include "console/live_view.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <string>

#include "console/terminal.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Xterm's control sequences, supported by all current terminals: the alternate screen, and no
// cursor.
constexpr std::string_view enter_screen = "\033[?1049h\033[?25l",
                           leave_sequence = "\033[?25h\033[?1049l";
constexpr std::string_view cursor_home = "\033[H", erase_line = "\033[K", erase_below = "\033[J";

std::atomic<bool> entered{false}, resized{false};

extern "C" void on_resize(int) { resized.store(true, std::memory_order_relaxed); }

/// No stream: the report is written without one, and must come after it.
void put_on_terminal(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno != EINTR) return;  // the terminal is gone; the report will fail too
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

LiveView::LiveView(bool wanted) : wanted_(wanted && screen_there()), next_(Clock::now() + 1s) {
  if (!wanted_) return;
  struct sigaction action{};
  action.sa_handler = on_resize;  // without SA_RESTART: waiting for packets ends
  sigaction(SIGWINCH, &action, nullptr);
}

LiveView::~LiveView() {
  leave_screen();
  if (wanted_) std::signal(SIGWINCH, SIG_DFL);
}

bool LiveView::due() {
  return wanted_ && (Clock::now() >= next_ || (entered && resized.exchange(false)));
}

void LiveView::show(std::string_view text) {
  std::string page{entered.exchange(true) ? "" : enter_screen};
  page += cursor_home;
  for (const char character : fitted(text, screen_size())) {
    if (character == '\n') page += erase_line;
    page += character;
  }
  page += erase_line;
  page += erase_below;
  put_on_terminal(page);
  next_ = Clock::now() + 1s;
}

void LiveView::leave_screen() {
  if (entered.exchange(false)) put_on_terminal(leave_sequence);
}

}  // namespace sojourn
