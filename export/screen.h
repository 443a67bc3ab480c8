#pragma once
// A report cut to the size of a screen, for the live view.

#include <cstddef>
#include <string>
#include <string_view>

namespace sojourn {

struct ScreenSize {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

/// As much of `text` as fits, each line cut to the width; the last row says how many lines are
/// missing.  Does not end in a newline, which would scroll.  Colours (ESC [ ... m) take no columns.
std::string fitted(std::string_view text, const ScreenSize& size);

}  // namespace sojourn
