#pragma once
// What the terminal can show, as far as the environment tells.

#include "export/screen.h"

namespace sojourn {

/// Standard output is a terminal with colours, and colours were not switched off
/// (https://no-color.org; TERM=dumb).
bool color_wanted();

/// The locale's characters are UTF-8 (LC_ALL, LC_CTYPE, LANG, in this order).  The C locale's are
/// ASCII.
bool unicode_wanted();

/// Standard output is a terminal that can be drawn upon again and again.
bool screen_there();

/// Of standard output, now; 24 rows of 80 if it does not say.
ScreenSize screen_size();

}  // namespace sojourn
