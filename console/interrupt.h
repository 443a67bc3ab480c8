#pragma once
// What signals mean: Ctrl-C ends the reading, not the program, and what was read is still reported.

#include <atomic>

namespace sojourn {

/// True from the first SIGINT, SIGTERM or SIGHUP on.  A second SIGINT or SIGTERM ends the program
/// at once.
const std::atomic<bool>& interrupted();

/// From now on, signals that end the program at once leave nothing behind.
void clean_up_on_signals();

/// From now on, signals set the flag and interrupt blocking reads.  A signal that is ignored, as
/// nohup(1) does with SIGHUP, stays so.
void watch_for_interrupts();

/// As if interrupted: nobody wants more.
void stop_reading();

/// From now on, one line instead of "Bus error" if somebody shortens a file that is mapped.
void watch_for_shortened_files();

/// Ends the program as SIGPIPE ends others: quietly, with the status that a shell expects of
/// `... | head`.
[[noreturn]] void end_for_lack_of_readers();

}  // namespace sojourn
