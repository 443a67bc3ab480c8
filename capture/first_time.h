#pragma once
// When a capture begins.

#include <optional>

#include "capture/source.h"

namespace sojourn {

/// Reads the next packet and returns its time; nullopt if none follows.
std::optional<Timestamp> first_time(Source& source);

}  // namespace sojourn
