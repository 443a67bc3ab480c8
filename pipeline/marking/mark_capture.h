#pragma once
// A capture through the marker into another capture.

#include <atomic>
#include <functional>
#include <string>

#include "capture/capture_writer.h"
#include "capture/source.h"
#include "core/result.h"
#include "pipeline/marking/marker.h"

namespace sojourn {

/// Every packet of `source`, in its order, as a pcap file that `output` takes.  `input` is the
/// source's name, for errors.  `progress` is called after each batch, and `stop` looked at.  It
/// fails if the marker refuses a packet or the source mixes link types.
Result<void> mark_capture(Source& source, const std::string& input, Marker& marker,
                          const CaptureWriter::Take& output, const std::atomic<bool>& stop,
                          const std::function<void()>& progress);

}  // namespace sojourn
