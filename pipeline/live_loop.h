#pragma once
// A live measurement: where packets are processed, and the loop over its steps until it is stopped.

#include <atomic>
#include <cstdint>
#include <functional>

namespace sojourn {

enum class Engine : std::uint8_t {
  automatic,  ///< in the kernel if available, else from a socket
  kernel,
  socket,
};

/// Called before every step, some hundred times a second: shows figures, and returns whether to go
/// on.
using GoOn = std::function<bool()>;

/// `step` returns false when nothing more will come.
template <class Step>
void loop_live(const std::atomic<bool>& stop, const GoOn& go_on, Step step) {
  while (!stop.load(std::memory_order_relaxed) && go_on())
    if (!step()) break;
}

}  // namespace sojourn
