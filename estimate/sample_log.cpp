#include "estimate/sample_log.h"

#include <algorithm>
#include <utility>

namespace sojourn {

void SampleLog::grow() {
  // Small lists double, since there may be a million of them; long ones take whole blocks.
  constexpr std::size_t small = 256;
  if (used_ >= small) {
    sealed_ += used_;
    used_ = 0;
    blocks_.push_back(std::make_shared<const Block>(std::exchange(tail_, {})));
    tail_.delays.resize(block_size);
    return;
  }
  const std::size_t next = std::clamp<std::size_t>(2 * used_, 4, small);
  tail_.delays.reserve(next);
  tail_.delays.resize(next);
  if (!tail_.weights.empty()) tail_.weights.resize(next, 1.0);
}

void SampleLog::append_all(const SampleLog& other) {
  blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
  sealed_ += other.sealed_;
  const auto append_one = [this](std::int64_t ns, double weight) {
    if (full()) grow();
    append(ns, weight);
  };
  visit_block(other.tail_, other.used_, append_one);
}

void SampleLog::clear() { *this = SampleLog{}; }

}  // namespace sojourn
