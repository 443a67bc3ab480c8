#include "experiments/roundtrip/l2_trials.h"

#include <cmath>

#include "experiments/roundtrip/joined_runs.h"
#include "experiments/roundtrip/round_trip_parts.h"
#include "lab/flow_trace.h"

namespace sojourn {

SeveralTraces::SeveralTraces(const LabSetting& setting, const Plan& plan,
                             const std::vector<Contender>& contenders,
                             const std::function<void(double)>& progress, const Visit& visit)
    : each_(contenders.size()), joined_(contenders.size()) {
  constexpr double TrialErrors::* figures[] = {&TrialErrors::p50, &TrialErrors::p95,
                                               &TrialErrors::p99, &TrialErrors::worst};
  for (std::size_t number = 0; number < plan.traces; ++number) {
    const RequestTrace trace = make_trace(BorderFlowsTrace{.seconds = plan.seconds},
                                          1000 * setting.seed + 10 * plan.stage + number)
                                   .trace;
    visit(number, trace);
    const TrialTruth truth{trace};
    const auto trials =
        try_all(trace, contenders, key_seeds(setting, plan.runs, 10 * plan.stage + number),
                [&](double part) {
                  progress((static_cast<double>(number) + part) / static_cast<double>(plan.traces));
                });
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      each_[i].insert(each_[i].end(), trials[i].each.begin(), trials[i].each.end());
      const TrialErrors joined = joined_errors(truth, trials[i].curves);
      for (double TrialErrors::* const figure : figures)
        joined_[i].*figure += joined.*figure * (joined.*figure);
    }
  }
  for (TrialErrors& joined : joined_)
    for (double TrialErrors::* const figure : figures)
      joined.*figure = std::sqrt(joined.*figure / static_cast<double>(plan.traces));
}

TrialErrors SeveralTraces::median(std::size_t contender) const {
  return median_of(each_[contender]);
}

}  // namespace sojourn
