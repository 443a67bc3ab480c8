#pragma once
// Receives the delays of single packets from a one-way measurement.

#include <span>

#include "oneway/method.h"

namespace sojourn {

/// Takes delays a batch at a time: one virtual call for many.  `method` maps a delay's flow number
/// to the flow.  Neither is valid after the call.
class DelaySink {
 public:
  virtual ~DelaySink() = default;
  virtual void take(const OnewayMethod& method, std::span<const DelaySample> delays) = 0;
};

}  // namespace sojourn
