#include "oneway/rli/line_bytes.h"

namespace sojourn {

std::uint32_t SpareBytes::overhead(std::uint32_t stated) const {
  constexpr std::uint32_t tolerance = 2, enough = 64;  // bytes of rounding; packets
  const auto top = std::min(stated, static_cast<std::uint32_t>(counts_.size() - 1));
  std::uint64_t close = 0, below = 0;
  std::uint32_t usual = 0;
  for (std::uint32_t spare = 0; spare <= top; ++spare) {
    close += counts_[spare];
    if (spare + tolerance >= stated) continue;
    below += counts_[spare];
    if (counts_[spare] > counts_[usual]) usual = spare;
  }
  return below >= enough && below * 4 > close ? usual : stated;
}

}  // namespace sojourn
