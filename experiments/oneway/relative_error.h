#pragma once
// Relative errors of many flows: their quantiles, and the curve of their distribution.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "export/charts/line_chart.h"

namespace sojourn {

class RelativeErrors {
 public:
  void add(double estimated, double truth) {
    if (truth != 0) errors_.push_back(std::abs(estimated - truth) / std::abs(truth));
  }
  std::size_t count() const { return errors_.size(); }

  double quantile(double q) {
    if (errors_.empty()) return 0;
    const auto place =
        errors_.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(errors_.size() - 1));
    std::nth_element(errors_.begin(), place, errors_.end());
    return *place;
  }
  double median() { return quantile(0.5); }
  double mean() const {
    double sum = 0;
    for (const double error : errors_) sum += error;
    return errors_.empty() ? 0 : sum / static_cast<double>(errors_.size());
  }

  /// The cumulative distribution, in fiftieths.
  ChartSeries cdf(std::string name, bool dashed = false) {
    ChartSeries series{.name = std::move(name), .points = {}, .dashed = dashed, .markers = false};
    std::ranges::sort(errors_);
    for (int step = 1; step < 50 && !errors_.empty(); ++step)
      series.points.push_back(
          {errors_[static_cast<std::size_t>(step / 50.0 * static_cast<double>(errors_.size() - 1))],
           step / 50.0});
    return series;
  }

 private:
  std::vector<double> errors_;
};

}  // namespace sojourn
