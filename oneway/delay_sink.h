#pragma once
// Where the delays of single packets leave a one-way measurement.

#include <span>

#include "oneway/method.h"

namespace sojourn {

/// Takes delays a batch at a time: one virtual call for many.  `method` tells which flow a delay's
/// number stands for.  Neither outlives the call.
class DelaySink {
 public:
  virtual ~DelaySink() = default;
  virtual void take(const OnewayMethod& method, std::span<const DelaySample> delays) = 0;
};

}  // namespace sojourn
