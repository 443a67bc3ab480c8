#include "export/rtt/input_text.h"

#include <fmt/format.h>

#include "core/units.h"
#include "export/text_cells.h"

namespace sojourn {

std::string drops_text(const InputSummary& input) {
  if (input.kernel_drops == 0) return {};
  return fmt::format(
      "the kernel dropped {} of {} packets ({} %) before they could be read: counts are too low, "
      "and pairs are missing",
      format_count(input.kernel_drops), format_count(input.passed),
      percent(input.kernel_drops, input.passed));
}

std::string stopped_text(const InputSummary& input) {
  if (!input.stopped) return {};
  return fmt::format(
      "stopped after {} packets: what waits for an answer would take more than {}{}; --memory "
      "64MiB without --table exact measures all of it in fixed memory",
      format_count(input.stopped->packets), format_size(input.stopped->limit_bytes),
      input.stopped->limit_named ? "" : ", half of this machine's memory");
}

std::vector<std::string> input_losses(const InputSummary& input) {
  std::vector<std::string> losses;
  for (std::string& one : std::vector{stopped_text(input), drops_text(input)})
    if (!one.empty()) losses.push_back(std::move(one));
  return losses;
}

std::string_view name_of(Missed missed) {
  switch (missed) {
    case Missed::packets:
      return "packets that the kernel had to drop";
    case Missed::samples:
      return "samples missed";
    case Missed::samples_for_a_ring:
      return "samples that the ring had no room for";
  }
  return {};
}

}  // namespace sojourn
