#include "estimate/sample_log.h"

#include <algorithm>

namespace sojourn {

void SampleLog::make_room() {
  if (tail_.delays.size() >= block_size) seal_tail();
  // Small lists double, since there may be a million of them; long ones take whole blocks.
  const std::size_t next = blocks_.empty() ? std::max<std::size_t>(2 * tail_.delays.size(), 4) : block_size;
  tail_.delays.reserve(std::min(next, block_size));
}

void SampleLog::append_weighted(std::int64_t ns, double weight) {
  tail_.weights.resize(tail_.delays.size(), 1.0);
  tail_.delays.push_back(ns);
  tail_.weights.push_back(weight);
}

void SampleLog::seal_tail() {
  sealed_ += tail_.delays.size();
  blocks_.push_back(std::make_shared<const Block>(std::exchange(tail_, {})));
}

void SampleLog::append_all(const SampleLog& other) {
  blocks_.insert(blocks_.end(), other.blocks_.begin(), other.blocks_.end());
  sealed_ += other.sealed_;
  const auto append_one = [this](std::int64_t ns, double weight) { append(ns, weight); };
  visit_block(other.tail_, append_one);
}

void SampleLog::clear() { *this = SampleLog{}; }

}  // namespace sojourn
