#pragma once
// The packets that one point captured and a filter accepts.

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "capture/files/open.h"
#include "capture/filtered_source.h"

namespace sojourn {

/// An empty filter accepts every packet.  `stop` as for open_capture().
inline Result<std::unique_ptr<Source>> open_point(const std::string& path,
                                                  const std::string& filter,
                                                  const std::atomic<bool>* stop = nullptr) {
  auto source = open_capture(path, {}, stop);
  if (!source || filter.empty()) return source;
  return FilteredSource::open(std::move(*source), filter);
}

}  // namespace sojourn
