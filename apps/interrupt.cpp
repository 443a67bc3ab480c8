#include "apps/interrupt.h"

#include <csignal>

namespace sojourn {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // may be set in a signal handler

extern "C" void on_signal(int) { flag.store(true, std::memory_order_relaxed); }

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

}  // namespace sojourn
