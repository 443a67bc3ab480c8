#pragma once
// Signal handling: Ctrl-C ends the reading, not the program; what was read is still reported.

#include <atomic>

namespace sojourn {

/// True from the first SIGINT, SIGTERM or SIGHUP on.  A second SIGINT or SIGTERM ends the program
/// at once.
const std::atomic<bool>& interrupted();

/// From now on, signals that end the program at once remove unfinished files.
void clean_up_on_signals();

/// From now on, signals set the flag and interrupt blocking reads.  An ignored signal, such as
/// SIGHUP under nohup(1), stays ignored.
void watch_for_interrupts();

/// As if interrupted: no more input is wanted.
void stop_reading();

/// From now on, one line instead of "Bus error" if a mapped file is truncated.
void watch_for_shortened_files();

/// Ends the program as SIGPIPE ends others: quietly, with the status that a shell expects of
/// `... | head`.
[[noreturn]] void end_for_lack_of_readers();

}  // namespace sojourn
