#pragma once
// The terminal's capabilities, according to the environment.

#include "export/screen.h"

namespace sojourn {

/// Standard output is a terminal with colours, and colours are not disabled (https://no-color.org;
/// TERM=dumb).
bool color_wanted();

/// The locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG, in this order).  The C locale's are
/// ASCII.
bool unicode_wanted();

/// Standard output is a terminal that can be redrawn.
bool screen_there();

/// The current size of standard output; 24 rows of 80 columns if unknown.
ScreenSize screen_size();

}  // namespace sojourn
