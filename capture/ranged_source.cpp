#include "capture/ranged_source.h"

namespace sojourn {
namespace {

constexpr std::chrono::minutes furthest_step_back{1};

}  // namespace

Source::Filled RangedSource::next(std::span<Packet> batch) {
  Filled filled = source_->next(batch);
  if (!resolved_ && filled.count > 0) resolved_ = range_.resolve(batch[0].time);
  std::size_t kept = 0;
  bool behind = filled.count > 0;
  for (std::size_t i = 0; i < filled.count; ++i) {
    behind = behind && difference(batch[i].time, resolved_->to) > furthest_step_back;
    if (!resolved_->has(batch[i].time)) continue;
    batch[kept] = batch[i];
    tally_.add(batch[kept]);
    ++kept;
  }
  passed_ += kept;
  kept_back_ += filled.count - kept;
  counters_ = source_->counters();
  counters_.packets = passed_;
  tally_.report(counters_);
  counters_.filtered += kept_back_;
  return {kept, filled.end || behind};
}

}  // namespace sojourn
