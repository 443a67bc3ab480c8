#pragma once
// The round-trip experiments of the lab: FRIDGE and STAGED reproduced, with the tables of `sojourn
// rtt`.

#include "experiments/report/experiment.h"

namespace sojourn {

LabReport run_l1(const LabSetting& setting);         ///< the best entry probability of a fridge
LabReport run_l2(const LabSetting& setting);         ///< all tables at equal memory
LabReport run_l3(const LabSetting& setting);         ///< how many samples a staged table finds
LabReport run_l4(const LabSetting& setting);         ///< when delay rises with load
LabReport run_intervals(const LabSetting& setting);  ///< intervals hold, --expect is quiet

}  // namespace sojourn
