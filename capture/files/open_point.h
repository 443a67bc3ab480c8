#pragma once
// What one point captured, as far as a filter lets it through.

#include <memory>
#include <string>
#include <utility>

#include "capture/files/open.h"
#include "capture/filtered_source.h"

namespace sojourn {

/// Without a filter (empty) every packet.
inline Result<std::unique_ptr<Source>> open_point(const std::string& path,
                                                  const std::string& filter) {
  auto source = open_capture(path);
  if (!source || filter.empty()) return source;
  return FilteredSource::open(std::move(*source), filter);
}

}  // namespace sojourn
