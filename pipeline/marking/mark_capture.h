#pragma once
// Reads a capture, marks its packets and writes another capture.

#include <atomic>
#include <functional>
#include <string>

#include "capture/capture_writer.h"
#include "capture/source.h"
#include "core/result.h"
#include "pipeline/marking/marker.h"

namespace sojourn {

/// Writes every packet of `source`, in order, to `output` as a pcap file.  `input` is the source's
/// name, for errors.  After each batch it calls `progress` and checks `stop`.  Fails if the marker
/// refuses a packet or the source mixes link types.
Result<void> mark_capture(Source& source, const std::string& input, Marker& marker,
                          const CaptureWriter::Take& output, const std::atomic<bool>& stop,
                          const std::function<void()>& progress);

}  // namespace sojourn
