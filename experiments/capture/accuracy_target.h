#pragma once
// "p99 within 10%": the required accuracy.

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "experiments/capture/capture_trial.h"

namespace sojourn {

/// One requirement: |estimated / true - 1| of a percentile is at most `within`.
struct AccuracyDemand {
  double percentile = 99;  ///< whole, from 1 to 99, or 99.9
  double within = 0.1;
};

/// All of its requirements must hold.
class AccuracyTarget {
 public:
  /// "p99 within 10%", several with commas between.
  static Result<AccuracyTarget> parse(std::string_view text);

  /// The largest error relative to what its requirement allows: the target is met up to 1.
  double strain(const TrialOutcome& outcome) const;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<AccuracyDemand> demands_;
};

/// |estimated / true - 1| at the percentile of a requirement.
double error_of(const AccuracyDemand& demand, const TrialOutcome& outcome);

}  // namespace sojourn
