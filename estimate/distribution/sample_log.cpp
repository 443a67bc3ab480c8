#include "estimate/distribution/sample_log.h"

#include <algorithm>
#include <bit>

namespace sojourn {

void SampleLog::seal() {
  sealed_ += used_;
  pieces_.push_back({tail_, used_});
  used_ = 0;
}

void SampleLog::begin_block(std::size_t capacity) {
  tail_ = std::make_shared<Block>();
  capacity_ = capacity;
  is_narrow_ = all_short_;
  if (is_narrow_)
    tail_->short_delays.resize(capacity);
  else
    tail_->delays.resize(capacity);
}

void SampleLog::grow() {
  if (used_ >= small) {
    seal();
    begin_block(std::min(std::bit_ceil(sealed_), largest_block));
    return;
  }
  if (!tail_) tail_ = std::make_shared<Block>();
  capacity_ = std::clamp<std::size_t>(2 * used_, 4, small);
  tail_->delays.resize(capacity_);
  if (!tail_->weights.empty()) tail_->weights.resize(capacity_, 1.0);
}

/// A delay does not fit into 32 bits.  The block stays as it is, since lists that were joined with
/// this one may read it.  Where one such delay is, more will follow, so it happens once.
void SampleLog::widen() {
  all_short_ = false;
  seal();
  begin_block(capacity_);
}

void SampleLog::append_plain(std::span<const std::int64_t> delays_ns) {
  if (delays_ns.empty()) return;
  if (is_narrow_) {
    std::uint64_t bits = 0;
    for (const std::int64_t ns : delays_ns) bits |= static_cast<std::uint64_t>(ns);
    if (!is_short(static_cast<std::int64_t>(bits))) [[unlikely]]
      widen();
  }
  // Weights, if the block has any, are 1 until they are set.
  if (is_narrow_)
    for (std::uint32_t* to = tail_->short_delays.data() + used_; const std::int64_t ns : delays_ns)
      *to++ = static_cast<std::uint32_t>(ns);
  else
    std::ranges::copy(delays_ns, tail_->delays.begin() + static_cast<std::ptrdiff_t>(used_));
  used_ += delays_ns.size();
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
  const auto& [delays, short_delays, weights] = *other.tail_;
  for (std::size_t i = 0; i < other.used_; ++i) {
    if (full()) grow();
    append(delays[i], weights.empty() ? 1.0 : weights[i]);
  }
}

void SampleLog::clear() { *this = SampleLog{}; }

}  // namespace sojourn
