#pragma once

#include "experiments/report/experiment.h"

namespace sojourn {

LabReport run_l9(const LabSetting& setting);

}  // namespace sojourn
