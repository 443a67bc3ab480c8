#pragma once
// The packets that one point captured and a filter accepts.

#include <memory>
#include <string>
#include <utility>

#include "capture/files/open.h"
#include "capture/filtered_source.h"

namespace sojourn {

/// An empty filter accepts every packet.
inline Result<std::unique_ptr<Source>> open_point(const std::string& path,
                                                  const std::string& filter) {
  auto source = open_capture(path);
  if (!source || filter.empty()) return source;
  return FilteredSource::open(std::move(*source), filter);
}

}  // namespace sojourn
