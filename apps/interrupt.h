#pragma once
// Ctrl-C ends the reading, not the program: what was read is still reported.

#include <atomic>

namespace sojourn {

/// True from the first SIGINT or SIGTERM on.  A second one ends the program at once.
const std::atomic<bool>& interrupted();

/// From now on, signals set the flag and interrupt blocking reads.
void watch_for_interrupts();

}  // namespace sojourn
