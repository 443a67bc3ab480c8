#pragma once
// The captures of `sojourn oneway`.

#include <memory>
#include <utility>

#include "apps/oneway_request.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "oneway/point.h"

namespace sojourn {

inline Result<std::unique_ptr<Source>> open_point(const OnewayRequest& request, Point point) {
  auto source = open_capture(point == Point::first ? request.first : request.last);
  if (!source || request.filter.empty()) return source;
  return FilteredSource::open(std::move(*source), request.filter);
}

}  // namespace sojourn
