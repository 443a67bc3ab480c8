#pragma once
// Measuring live: one step after another, until it is stopped.

#include <atomic>
#include <functional>

namespace sojourn {

/// Asked before every step, some hundred times a second: shows figures, and says whether to go on.
using GoOn = std::function<bool()>;

/// `step` is false when nothing more will come.
template <class Step>
void loop_live(const std::atomic<bool>& stop, const GoOn& go_on, Step step) {
  while (!stop.load(std::memory_order_relaxed) && go_on())
    if (!step()) break;
}

}  // namespace sojourn
