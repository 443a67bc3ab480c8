#pragma once
// How many requests come within a given time, estimated from the past only.

#include <cmath>
#include <cstdint>

#include "core/time.h"

namespace sojourn {

/// Requests of the last `span`, each forgotten exponentially: a steady rate r gives r * span.
///
/// At the start nothing is known and the count is small, so a table that divides its memory by it
/// starts generously.  A clock that steps back leaves the count unchanged.  One that leaps ahead
/// empties it, and the count is right again after one span.
class RequestRate {
 public:
  explicit RequestRate(Duration span) : span_ns_(static_cast<double>(to_ns(span))) {}

  void add(std::uint64_t requests, Timestamp now) {
    const std::int64_t now_ns = to_ns(now);
    const std::int64_t passed_ns = started_ ? difference_ns(now_ns, last_ns_) : 0;
    if (passed_ns > 0) in_span_ *= std::exp(-static_cast<double>(passed_ns) / span_ns_);
    in_span_ += static_cast<double>(requests);
    last_ns_ = now_ns;
    started_ = true;
  }

  double in_span() const { return in_span_; }

  /// The counted events become rarer by this factor from now on; the past is scaled alike.
  void scale(double factor) { in_span_ *= factor; }

 private:
  double span_ns_;
  double in_span_ = 0;
  std::int64_t last_ns_ = 0;
  bool started_ = false;
};

}  // namespace sojourn
