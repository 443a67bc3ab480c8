#pragma once
// When a capture begins.

#include <optional>

#include "capture/source.h"

namespace sojourn {

/// The time of the next packet, which is read; nullopt if none follows.
std::optional<Timestamp> first_time(Source& source);

}  // namespace sojourn
