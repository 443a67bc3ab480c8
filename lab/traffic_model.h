#pragma once
// Traffic packet by packet, as an observer on the path would capture it, and its true samples.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/sample.h"
#include "core/time.h"

namespace sojourn {

/// A packet as it passes the observer: an Ethernet frame.
struct LabFrame {
  Timestamp time;
  std::span<const std::byte> bytes;  ///< valid until the next call of next(); all zero behind these
  std::uint32_t length = 0;          ///< on the wire
};

/// Streaming: memory grows with the active traffic, not with the length of the capture.
class TrafficModel {
 public:
  virtual ~TrafficModel() = default;

  /// The next packet in order of time; false after the last.  The samples that this packet
  /// completes are appended to `truth`, in the form in which `sojourn rtt` should find them.
  virtual bool next(LabFrame& frame, std::vector<Sample>& truth) = 0;

  virtual double progress() const = 0;  ///< 0 to 1
};

/// 2026-11-15 00:00:00 UTC: with a fixed start, equal seeds give equal files.
inline constexpr Timestamp lab_epoch = timestamp_from_ns(1'794'700'800'000'000'000);

}  // namespace sojourn
