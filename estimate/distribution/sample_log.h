#pragma once
// Every delay in the order it was measured, for quantiles that are exact to the nanosecond.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "estimate/distribution/large_allocator.h"

namespace sojourn {

/// An append-only list in blocks: appending never moves the contents of a large block, and joining
/// two lists shares the large blocks instead of copying them.  8 bytes a sample, 16 in blocks where
/// some weight is not 1.
class SampleLog {
 public:
  SampleLog() = default;
  SampleLog(const SampleLog&) = delete;  // two would append to the same block
  SampleLog(SampleLog&&) noexcept = default;
  SampleLog& operator=(SampleLog&&) noexcept = default;

  /// Must be checked before append(): whether there is no room.  Then call grow() first.
  bool full() const { return used_ == capacity_; }
  void grow();
  void append(std::int64_t ns, double weight) {
    if (weight != 1 && tail_->weights.empty()) [[unlikely]]
      tail_->weights.resize(capacity_, 1.0);
    tail_->delays[used_] = ns;
    if (!tail_->weights.empty()) tail_->weights[used_] = weight;
    ++used_;
  }
  /// How many more fit before the next grow().
  std::size_t room() const { return capacity_ - used_; }
  /// At most room() samples of weight 1.
  void append_plain(std::span<const std::int64_t> delays_ns) {
    if (delays_ns.empty()) return;
    std::ranges::copy(delays_ns, tail_->delays.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += delays_ns.size();  // weights, if the block has any, are 1 until they are set
  }
  void append_all(const SampleLog& other);
  void clear();

  std::size_t size() const { return sealed_ + used_; }

  /// Calls visit(ns, weight) for each sample.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_block([&](std::span<const std::int64_t> delays, std::span<const double> weights) {
      if (weights.empty())
        for (const std::int64_t ns : delays) visit(ns, 1.0);
      else
        for (std::size_t i = 0; i < delays.size(); ++i) visit(delays[i], weights[i]);
    });
  }
  /// Calls visit(delays, weights) for each block; `weights` is empty if all are 1.
  template <class Visit>
  void for_each_block(Visit visit) const {
    for (const Piece& piece : pieces_)
      visit(std::span{piece.block->delays}.first(piece.size), std::span{piece.block->weights});
    if (tail_)
      visit(std::span{std::as_const(tail_->delays)}.first(used_),
            std::span{std::as_const(tail_->weights)});
  }

 private:
  // Lists double up to `small`, since there may be a million of them; after that the next block is
  // as large as all before it, up to one huge page.
  static constexpr std::size_t small = 256;
  static constexpr std::size_t largest_block = 262'144;

  struct Block {
    std::vector<std::int64_t, LargeAllocator<std::int64_t>> delays;
    std::vector<double> weights;  ///< empty as long as all are 1
  };
  /// The first samples of a block.  The block's owner may append behind them.
  struct Piece {
    std::shared_ptr<const Block> block;
    std::size_t size;
  };

  std::vector<Piece> pieces_;
  std::shared_ptr<Block> tail_;  ///< sized ahead, so that appending is a store and an increment
  std::size_t capacity_ = 0;     ///< of tail_
  std::size_t used_ = 0;         ///< samples in tail_
  std::size_t sealed_ = 0;       ///< samples in pieces_
};

}  // namespace sojourn
