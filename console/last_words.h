#pragma once
// What the program does when it must end at once: nothing is left behind, and one line says why.

#include <string_view>

namespace sojourn {

/// Unfinished outputs are removed and the terminal is given back.  May be called in a signal
/// handler.
void leave_nothing_behind();

/// Descriptors 0 to 2 that somebody has closed are given to /dev/null, in the direction that fails:
/// otherwise the next file to be opened would become standard output.
void keep_standard_descriptors();

/// From now on, one line and exit status 1 where memory or threads run out, instead of a core dump.
/// We neither throw nor catch: this is what is at the end of the way of what the standard library
/// throws.
void install_last_words();

}  // namespace sojourn
