#pragma once
// Methods "rli", "rli-l" and "rli-queue": reference packets in the capture of the last point.

#include <memory>

#include "oneway/method.h"
#include "oneway/rli/rli_receiver.h"

namespace sojourn {

/// Only the last point is looked at: the reference packets carry the first point's time.
std::unique_ptr<OnewayMethod> make_rli(const RliReceiver::Options& options);

}  // namespace sojourn
