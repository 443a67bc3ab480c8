#include "collector/pair_clock.h"

#include <algorithm>
#include <cstdlib>

namespace sojourn {
namespace {

constexpr Duration counterpart_within = std::chrono::minutes{1};

/// How much two clocks may drift apart in this time: 200 ppm, twice what cheap quartzes do.
std::int64_t drift_ns(Timestamp from, Timestamp to) {
  return std::abs(to_ns(difference(to, from)) / 5'000);
}

}  // namespace

void PairClock::relax(Timestamp now) {
  if (!bounded_at_ || now <= *bounded_at_) return;
  const std::int64_t drift = drift_ns(*bounded_at_, now);
  low_ -= drift;
  high_ += drift;
  bounded_at_ = now;
}

void PairClock::evidence(std::int64_t low, std::int64_t high, Timestamp now) {
  const bool contradicts = bounded() && (low > high_ || high < low_);
  steps_ += contradicts;
  if (!bounded() || contradicts) {
    low_ = low;
    high_ = high;
    bounded_at_ = now;
    return;
  }
  low_ = std::max(low_, low);
  high_ = std::min(high_, high);
}

void PairClock::reading(std::uint64_t flow, std::uint64_t reversed, Timestamp sent,
                        std::int64_t ns) {
  balance_ = std::clamp(balance_ + (ns >= 0 ? 1 : -1), -1000, 1000);
  relax(sent);
  Last& last = last_[(flow ^ reversed) % last_.size()];
  const Duration apart = difference(sent, last.sent);
  if (last.flow == reversed && apart < counterpart_within && apart > -counterpart_within &&
      std::abs(ns - last.ns) > drift_ns(last.sent, sent))
    evidence(std::min(ns, last.ns), std::max(ns, last.ns), sent);
  last = {flow, ns, sent};
  if (!bounded()) return;
  if (forward(ns))
    high_ = std::min(high_, ns);
  else
    low_ = std::max(low_, ns);
}

bool PairClock::forward(std::int64_t ns) const {
  if (bounded()) return ns > low_ + (high_ - low_) / 2;
  if (error_ns_ && std::abs(ns) > *error_ns_) return ns > 0;
  if (expected_) return *expected_;
  return balance_ >= 0;
}

}  // namespace sojourn
