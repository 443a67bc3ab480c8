#pragma once
// Methods "rli", "rli-l" and "rli-queue": reference packets in the capture of the last point.

#include <cstdint>
#include <memory>
#include <optional>

#include "oneway/method.h"
#include "oneway/rli/rli_receiver.h"

namespace sojourn {

struct RliOptions {
  RliReceiver::Options receiver;
  /// Bytes that each packet takes on the link besides the IP packet; unset: by the link type of
  /// LAST, or less if packets come closer than that allows.
  std::optional<std::uint32_t> link_overhead = {};
};

/// Only the last point is used: the reference packets carry the first point's time.
std::unique_ptr<OnewayMethod> make_rli(const RliOptions& options);

}  // namespace sojourn
