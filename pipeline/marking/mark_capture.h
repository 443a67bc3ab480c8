#pragma once
// A capture through the marker into another capture.

#include <functional>
#include <string>

#include "capture/source.h"
#include "core/result.h"
#include "pipeline/marking/marker.h"

namespace sojourn {

/// Every packet of `source`, in its order, into the pcap file `output` ("-": standard output).
/// `input` is the source's name, for errors.  `progress` is called after each batch.  If the marker
/// refuses a packet or the source mixes link types, the half-written file is removed: half a
/// capture is worse than none.
Result<void> mark_capture(Source& source, const std::string& input, Marker& marker,
                          const std::string& output, const std::function<void()>& progress);

}  // namespace sojourn
