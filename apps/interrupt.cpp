#include "apps/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "apps/commands.h"

namespace sojourn {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // may be set in a signal handler

extern "C" void on_signal(int) { flag.store(true, std::memory_order_relaxed); }

/// Only what is allowed in a signal handler: no stream, no exit().
extern "C" void on_bus_error(int) {
  constexpr std::string_view line =
      "sojourn: a capture was shortened while it was read; read a copy of it, or wait for whoever "
      "writes it\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(exit_error);
}

}  // namespace

const std::atomic<bool>& interrupted() { return flag; }

void watch_for_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // no SA_RESTART: a read must come back
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error, which is reported
}

void watch_for_shortened_files() { std::signal(SIGBUS, on_bus_error); }

}  // namespace sojourn
