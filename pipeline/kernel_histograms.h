#pragma once
// What the kernel has added up, as distributions.

#include "core/kind.h"
#include "dataplane/dataplane_histograms.h"
#include "dataplane/dataplane_options.h"
#include "estimate/measurement.h"

namespace sojourn {

/// The distribution of one leg: what the samples behind it would give with Keep::histogram, but for
/// the least and the greatest delay, which are known to a bucket only.  Empty if the kind is not
/// measured.
Distribution distribution_of(const DataplaneHistograms& histograms, const dp_config& config,
                             Kind kind, Leg leg);

/// All of them.  It takes as long for a billion samples as for a thousand.
void put_histograms(const DataplaneHistograms& histograms, const dp_config& config,
                    Measurement& measurement);

}  // namespace sojourn
