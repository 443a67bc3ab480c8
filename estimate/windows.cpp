#include "estimate/windows.h"

namespace sojourn {
namespace {

/// Rounds down for times before 1970 too.
std::int64_t slice_of(std::int64_t ns, std::int64_t length) {
  return ns >= 0 ? ns / length : ~(~ns / length);
}

}  // namespace

Windows::Slice* Windows::slice_at(std::int64_t number) {
  if (latest_ && latest_number_ == number) return latest_;
  auto found = slices_.find(number);
  if (found == slices_.end()) {
    if (slices_.size() >= max_slices_) return nullptr;
    found = slices_.emplace(number, Slice{}).first;
  }
  latest_number_ = number;
  return latest_ = &found->second;
}

Distribution& Windows::distribution_in(Slice& slice, Kind kind, Leg leg) const {
  auto& distribution = slice[index_of(kind)][index_of(leg)];
  if (!distribution) distribution = std::make_unique<Distribution>(keep_);
  return *distribution;
}

void Windows::add(Timestamp time, Kind kind, Leg leg, Duration delay, double weight, FlowTag flow) {
  if (Slice* slice = slice_at(slice_of(to_ns(time), length_.count())))
    distribution_in(*slice, kind, leg).add(delay, weight, flow);
  else
    ++overflowed_;
}

void Windows::merge(const Windows& other) {
  overflowed_ += other.overflowed_;
  for (const auto& [number, theirs] : other.slices_) {
    Slice* const slice = slice_at(number);
    for (std::size_t kind = 0; kind < kind_count; ++kind) {
      for (std::size_t leg = 0; leg < leg_count; ++leg) {
        const auto& distribution = theirs[kind][leg];
        if (!distribution) continue;
        if (slice)
          distribution_in(*slice, static_cast<Kind>(kind), static_cast<Leg>(leg))
              .merge(*distribution);
        else
          overflowed_ += distribution->count();
      }
    }
  }
}

}  // namespace sojourn
