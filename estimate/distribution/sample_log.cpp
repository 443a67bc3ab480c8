#include "estimate/distribution/sample_log.h"

#include <algorithm>
#include <bit>

namespace sojourn {

void SampleLog::grow() {
  if (used_ >= small) {
    sealed_ += used_;
    pieces_.push_back({tail_, used_});
    tail_ = std::make_shared<Block>();
    capacity_ = std::min(std::bit_ceil(sealed_), largest_block);
    used_ = 0;
  } else {
    if (!tail_) tail_ = std::make_shared<Block>();
    capacity_ = std::clamp<std::size_t>(2 * used_, 4, small);
  }
  tail_->delays.resize(capacity_);
  if (!tail_->weights.empty()) tail_->weights.resize(capacity_, 1.0);
}

void SampleLog::append_all(const SampleLog& other) {
  pieces_.insert(pieces_.end(), other.pieces_.begin(), other.pieces_.end());
  sealed_ += other.sealed_;
  if (other.capacity_ >=
      small) {  // such a block does not move, so its owner may continue to fill it
    pieces_.push_back({other.tail_, other.used_});
    sealed_ += other.used_;
    return;
  }
  if (!other.tail_) return;
  const auto& [delays, weights] = *other.tail_;
  for (std::size_t i = 0; i < other.used_; ++i) {
    if (full()) grow();
    append(delays[i], weights.empty() ? 1.0 : weights[i]);
  }
}

void SampleLog::clear() { *this = SampleLog{}; }

}  // namespace sojourn
