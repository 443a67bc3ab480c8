#pragma once
// Writes generated traffic into a capture, and the true delays beside it.

#include <cstdint>
#include <functional>

#include "capture/capture_writer.h"
#include "core/sample_sink.h"
#include "lab/traffic_model.h"

namespace sojourn {

struct RecordedTraffic {
  std::uint64_t packets = 0, samples = 0;
  Timestamp first{}, last{};  ///< times of the first and the last packet
};

/// Writes every packet of the model to `capture`, every sample to `truth`.  `go_on` is called
/// occasionally with the packets so far; false ends the traffic early.
RecordedTraffic record_traffic(TrafficModel& model, CaptureWriter& capture, SampleSink& truth,
                               const std::function<bool(std::uint64_t packets)>& go_on);

}  // namespace sojourn
