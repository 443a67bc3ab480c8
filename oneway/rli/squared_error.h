#pragma once
// The mean square of successive errors.

#include <algorithm>
#include <cstdint>

namespace sojourn {

/// The recent or the long-term mean, whichever is larger.  On a quiet link most references find the
/// queue empty and few do not: the recent ones alone would often show no error at all.
class SquaredError {
 public:
  void add(double error) {
    const double square = error * error;
    ++count_;
    const double share = 1 / static_cast<double>(count_);
    all_ += (square - all_) * share;
    recent_ += (square - recent_) * std::max(share, 1.0 / 16);
  }
  std::uint64_t count() const { return count_; }
  double mean() const { return std::max(all_, recent_); }

 private:
  std::uint64_t count_ = 0;
  double all_ = 0, recent_ = 0;
};

}  // namespace sojourn
