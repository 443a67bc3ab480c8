#pragma once
// What signals mean: Ctrl-C ends the reading, not the program, and what was read is still reported.

#include <atomic>

namespace sojourn {

/// True from the first SIGINT or SIGTERM on.  A second one ends the program at once.
const std::atomic<bool>& interrupted();

/// From now on, signals set the flag and interrupt blocking reads.
void watch_for_interrupts();

/// From now on, one line instead of "Bus error" if somebody shortens a file that is mapped.
void watch_for_shortened_files();

}  // namespace sojourn
