#pragma once
// The experiments about one-way delay, L5 to L8 (CNF, RLI and LDA), how well their margins hold,
// and what networks of many points need.

#include "experiments/report/experiment.h"

namespace sojourn {

LabReport run_l5(const LabSetting& setting);
LabReport run_l6(const LabSetting& setting);
LabReport run_l7(const LabSetting& setting);
LabReport run_l8(const LabSetting& setting);
LabReport run_margins(const LabSetting& setting);
LabReport run_scale(const LabSetting& setting);

}  // namespace sojourn
