#pragma once
// Places from files in MaxMind's format, which the user has to provide (GeoLite2, DB-IP and
// others).

#include <memory>
#include <span>
#include <string>

#include "core/places.h"
#include "core/result.h"

namespace sojourn {

/// The first file that knows an address decides: a file of systems and one of countries can be
/// combined.  Without libmaxminddb, an error that says what is missing.
Result<std::shared_ptr<Places>> open_maxmind(std::span<const std::string> files);

}  // namespace sojourn
