// sojourn-emulator: a link with a known delay, loss and order, for tests (README.md).

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <vector>

#include "tests/testbed/forwarder.h"

namespace {

using namespace sojourn;
using namespace sojourn::testbed;

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // so that a signal handler may set it

void stop_on(int signal) {
  struct sigaction action{};
  action.sa_handler = [](int) { stop = true; };
  sigaction(signal, &action, nullptr);
}

/// A sleeping emulator must wake in time, even when a compiler runs at the same time.  Without the
/// permission it still works, only with longer tails; the log has the real times anyway.
void ask_for_punctuality() {
  prctl(PR_SET_TIMERSLACK, 1ul);
  const sched_param priority{.sched_priority = 10};
  sched_setscheduler(0, SCHED_FIFO, &priority);
}

Result<std::string> emulate(const EmulatorOptions& options) {
  auto first = PacketPort::open(options.interfaces[0]);
  if (!first) return std::unexpected(first.error());
  auto second = PacketPort::open(options.interfaces[1]);
  if (!second) return std::unexpected(second.error());
  auto log = FrameLog::open(options.log);
  if (!log) return std::unexpected(log.error());

  stop_on(SIGINT);
  stop_on(SIGTERM);
  Forwarder forwarder{options, {std::move(*first), std::move(*second)}, std::move(*log)};
  ask_for_punctuality();
  std::puts("ready");  // a script waits for this line
  std::fflush(stdout);
  forwarder.run(stop);
  return forwarder.finish();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  const auto options = parse_command_line(arguments);
  if (!options) {
    fmt::print(stderr, "sojourn-emulator: {} (--help shows the options)\n",
               options.error().message);
    return 2;
  }
  if (options->help) {
    fmt::print("{}", emulator_usage);
    return 0;
  }
  const auto summary = emulate(*options);
  fmt::print(stderr, "sojourn-emulator: {}\n", summary ? *summary : summary.error().message);
  return summary ? 0 : 1;
}
