#pragma once
// "p99 within 10%": how accurate is accurate enough?

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "experiments/capture/capture_trial.h"

namespace sojourn {

/// One demand: |estimated / true - 1| of a percentile is at most `within`.
struct AccuracyDemand {
  double percentile = 99;  ///< whole, from 1 to 99, or 99.9
  double within = 0.1;
};

/// All of its demands must hold.
class AccuracyTarget {
 public:
  /// "p99 within 10%", several with commas between.
  static Result<AccuracyTarget> parse(std::string_view text);

  /// The largest error, each as a share of what its demand allows: the target is met up to 1.
  double strain(const TrialOutcome& outcome) const;
  const std::string& text() const { return text_; }
  const std::vector<AccuracyDemand>& demands() const { return demands_; }

 private:
  std::string text_;
  std::vector<AccuracyDemand> demands_;
};

/// Estimated / true - 1 at the percentile of a demand, without its sign.
double error_of(const AccuracyDemand& demand, const TrialOutcome& outcome);

}  // namespace sojourn
