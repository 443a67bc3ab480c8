#pragma once
// L2's contenders over several traces of the same model.
//
// What a staged table samples depends more on the trace than on the hash (lab/flow_trace.h): seeds
// of the hash alone would only show how lucky it was with one trace, with a false certainty.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/report/experiment.h"
#include "experiments/roundtrip/contenders.h"

namespace sojourn {

class SeveralTraces {
 public:
  struct Plan {
    double seconds;
    std::size_t traces;
    std::size_t runs;     ///< of each contender over each trace
    std::uint64_t stage;  ///< traces and seeds of one stage are not used in another
  };
  using Visit = std::function<void(std::size_t number, const RequestTrace& trace)>;

  /// One trace at a time is in memory; `visit` may look at it.
  SeveralTraces(
      const LabSetting& setting, const Plan& plan, const std::vector<Contender>& contenders,
      const std::function<void(double)>& progress,
      const Visit& visit = [](std::size_t, const RequestTrace&) {});

  /// Over all runs over all traces.
  TrialErrors median(std::size_t contender) const;
  /// The runs over a trace joined, as FRIDGE does it; the root of the mean square over the traces.
  TrialErrors joined(std::size_t contender) const { return joined_[contender]; }

 private:
  std::vector<std::vector<TrialErrors>> each_;  ///< by contender
  std::vector<TrialErrors> joined_;
};

}  // namespace sojourn
