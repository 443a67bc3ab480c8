#include "export/rtt/share_text.h"

#include <fmt/format.h>

namespace sojourn {

std::string percent_text(double share) {
  return share == 0 ? "0%" : fmt::format("{:.{}g}%", 100 * share, share >= 0.9995 ? 4 : 3);
}

std::string share_cell(const ShareEstimate& share) {
  if (share.whole <= 0) return "-";
  if (!share.bounded) return fmt::format("{} (?)", percent_text(share.value));
  return fmt::format("{} ({:.2g}-{:.2g})", percent_text(share.value), 100 * share.low,
                     100 * share.high);
}

std::string share_sentence(const ShareEstimate& share) {
  if (!share.bounded)
    return fmt::format("{} (too few flows to bound it)", percent_text(share.value));
  return fmt::format("{} ({} to {})", percent_text(share.value), percent_text(share.low),
                     percent_text(share.high));
}

}  // namespace sojourn
