#include "console/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "console/exit_status.h"
#include "console/last_words.h"

namespace sojourn {
namespace {

std::atomic<bool> flag{false}, impatient{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // may be set in a signal handler

extern "C" void on_last_signal(int number) {
  leave_nothing_behind();
  std::signal(number, SIG_DFL);
  ::raise(number);  // takes effect when the handler returns
}

extern "C" void on_signal(int number) {
  flag.store(true, std::memory_order_relaxed);
  // A terminal that closes may send SIGHUP twice, which does not count as a second request.
  if (number != SIGHUP && impatient.exchange(true)) on_last_signal(number);
}

/// No SA_RESTART: a read must return.  nohup(1) ignores SIGHUP, and it stays ignored.
/// An ignored SIGINT is only the effect of a shell's `&`, and scripts end such a job with SIGINT.
void handle(int number, void (*handler)(int)) {
  struct sigaction action{}, before{};
  action.sa_handler = handler;
  sigaction(number, nullptr, &before);
  if (number != SIGHUP || before.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);
}

/// Only async-signal-safe calls: no stream, no exit().
extern "C" void on_bus_error(int) {
  leave_nothing_behind();
  constexpr std::string_view line =
      "sojourn: a capture was shortened while it was read; read a copy of it, or wait for whoever "
      "writes it\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  ::_exit(exit_error);
}

}  // namespace

const std::atomic<bool>& interrupted() { return flag; }

void stop_reading() { flag.store(true, std::memory_order_relaxed); }

void clean_up_on_signals() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) handle(number, on_last_signal);
}

void watch_for_interrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) handle(number, on_signal);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write error: other outputs are finished
}

void watch_for_shortened_files() { std::signal(SIGBUS, on_bus_error); }

void end_for_lack_of_readers() {
  std::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
  ::_exit(exit_error);  // if SIGPIPE is blocked
}

}  // namespace sojourn
