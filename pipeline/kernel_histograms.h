#pragma once
// The kernel's histograms as distributions.

#include "core/kind.h"
#include "dataplane/dataplane_histograms.h"
#include "dataplane/dataplane_options.h"
#include "estimate/measurement.h"

namespace sojourn {

/// The distribution of one leg, as its samples would give with Keep::histogram, except that the
/// least and the greatest delay are known only to a bucket.  Empty if the kind is not measured.
Distribution distribution_of(const DataplaneHistograms& histograms, const dp_config& config,
                             Kind kind, Leg leg);

/// All of them.  The time is independent of the number of samples.
void put_histograms(const DataplaneHistograms& histograms, const dp_config& config,
                    Measurement& measurement);

}  // namespace sojourn
