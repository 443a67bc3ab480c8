#pragma once
// Method "lda": the mean and deviation of all packets together, from two sketches.

#include <memory>

#include "oneway/method.h"

namespace sojourn {

/// One sketch of the whole capture at each point, two banks with the paper's sampling shares.
/// Gives no flows.
std::unique_ptr<OnewayMethod> make_lda(const OnewayOptions& options);

}  // namespace sojourn
