#pragma once
// How many requests come per nanosecond, estimated from the past only.

#include <cmath>
#include <cstdint>

#include "core/time.h"
#include "roundtrip/tailored/tuning.h"

namespace sojourn {

/// Over the last second, each request forgotten exponentially; at the start over the elapsed time.
class ArrivalRate {
 public:
  void add(std::uint32_t requests, std::int64_t now_ns) {
    if (!started_) first_ns_ = now_ns;
    const std::int64_t passed_ns = started_ ? difference_ns(now_ns, last_ns_) : 0;
    if (passed_ns > 0) {
      const double kept = std::exp(-static_cast<double>(passed_ns) / tailored_tuning.rate_span_ns);
      requests_ = requests_ * kept + requests;
      time_ns_ = time_ns_ * kept + static_cast<double>(passed_ns);
    } else if (started_) {
      requests_ += requests;
    }
    last_ns_ = now_ns;
    started_ = true;
    ++calls_;
  }
  std::uint64_t calls() const { return calls_; }

  std::int64_t elapsed_ns(std::int64_t now_ns) const {
    return started_ ? difference_ns(now_ns, first_ns_) : 0;
  }
  /// At the start slow pairs are underrepresented: of those with this delay, only the ones that
  /// came within the first elapsed - delay could be seen.
  double shown_after(std::int64_t delay_ns, std::int64_t now_ns) const {
    const auto elapsed = static_cast<double>(elapsed_ns(now_ns));
    const double could = elapsed - static_cast<double>(delay_ns);
    constexpr double most = tailored_tuning.most_shown_after;
    return could * most > elapsed ? elapsed / could : most;
  }

  /// 0 before the second call.
  double a_nanosecond() const { return time_ns_ > 0 ? requests_ / time_ns_ : 0; }

 private:
  double requests_ = 0, time_ns_ = 0;
  std::int64_t first_ns_ = 0, last_ns_ = 0;
  bool started_ = false;
  std::uint64_t calls_ = 0;
};

}  // namespace sojourn
