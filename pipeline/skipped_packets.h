#pragma once
// Packets that could not be used, by reason.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/source.h"
#include "wire/skip.h"

namespace sojourn {

/// Packets that the source rejected or that could not be parsed; reasons that did not occur are
/// left out.
inline std::vector<std::pair<std::string, std::uint64_t>> skipped_packets(
    const SourceCounters& source, const SkipCounters& parser) {
  std::vector<std::pair<std::string, std::uint64_t>> skipped;
  const auto add = [&](std::string_view name, std::uint64_t count) {
    if (count > 0) skipped.emplace_back(name, count);
  };
  add("filtered", source.filtered);
  add("kernel-drops", source.kernel_drops);
  add("unknown-link-type", source.unknown_link);
  add("bad-blocks", source.bad_blocks);
  for (std::size_t i = 0; i < SkipCounters::size; ++i)
    add(skip_names[i], parser[static_cast<Skip>(i)]);
  return skipped;
}

}  // namespace sojourn
