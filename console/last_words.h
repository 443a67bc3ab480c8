#pragma once
// An immediate end of the program: nothing is left behind, and one line says why.

#include <string_view>

namespace sojourn {

/// Removes unfinished outputs and restores the terminal.  Async-signal-safe.
void leave_nothing_behind();

/// Opens closed descriptors 0 to 2 on /dev/null, in the direction that fails: otherwise the next
/// opened file would become standard output.
void keep_standard_descriptors();

/// From now on, one line and exit status 1 if memory or threads run out, instead of a core dump.
/// We neither throw nor catch: this handles what the standard library throws.
void install_last_words();

}  // namespace sojourn
