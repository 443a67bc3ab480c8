#include "export/marking/mark_text.h"

#include <fmt/format.h>

#include "core/units.h"

namespace sojourn {

std::string mark_text(const std::string& output, const MarkerOptions& options,
                      const MarkCounters& counters) {
  const MarkingSetup& setup = options.setup;
  std::string text =
      fmt::format("{}: {} of {} packets {} in {}", output, format_count(counters.changed),
                  format_count(counters.packets),
                  options.restore ? "freed of their mark" : "marked", setup.carrier.name());
  if (!options.restore)
    text += fmt::format(", {}, intervals of {}, {} {}", name_of(setup.method), setup.length.name(),
                        setup.flows.size(), setup.flows.size() == 1 ? "flow" : "flows");
  text += '\n';
  const auto left = [&](std::uint64_t count, std::string_view why) {
    if (count > 0) text += fmt::format("  {} left as they are: {}\n", format_count(count), why);
  };
  left(counters.no_carrier, "no place for this carrier");
  left(counters.tunnelled, "inside a tunnel");
  left(counters.other, "no IP, or of no monitored flow");
  return text;
}

}  // namespace sojourn
