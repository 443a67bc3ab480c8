#pragma once
// The weights of histograms: whole numbers by age, for where there is no arithmetic but that.

#include "dataplane/kernel/abi.h"

namespace sojourn {

/// FRIDGE section 6.2 for one fridge and p = 1: 256 (1 - 1/M)^-x, at the middle of each place.  The
/// program divides by the p that let the request in.  What outlived 16 lives has factor 0, as in
/// sample_weight.h.
dp_factors weight_factors(const dp_config& config);

}  // namespace sojourn
