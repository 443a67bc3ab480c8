#pragma once
// Every delay in the order it was measured, for quantiles that are exact to the nanosecond.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "estimate/distribution/large_allocator.h"

namespace sojourn {

/// An append-only list in blocks: appending never moves the contents of a large block, and joining
/// two lists shares the large blocks instead of copying them.
///
/// 4 bytes a sample in large blocks, as long as no delay is negative or longer than 4.29 s; 8 bytes
/// from the first such delay on.  8 bytes more in blocks where some weight is not 1.
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
    if (is_narrow_ && !is_short(ns)) [[unlikely]]
      widen();
    if (weight != 1 && tail_->weights.empty()) [[unlikely]]
      tail_->weights.resize(capacity_, 1.0);
    if (is_narrow_)
      tail_->short_delays[used_] = static_cast<std::uint32_t>(ns);
    else
      tail_->delays[used_] = ns;
    if (!tail_->weights.empty()) tail_->weights[used_] = weight;
    ++used_;
  }
  /// How many more fit before the next grow().
  std::size_t room() const { return capacity_ - used_; }
  /// At most room() samples of weight 1.
  void append_plain(std::span<const std::int64_t> delays_ns);
  void append_all(const SampleLog& other);
  void clear();

  std::size_t size() const { return sealed_ + used_; }

  /// Calls visit(ns, weight) for each sample.
  template <class Visit>
  void for_each(Visit visit) const {
    for_each_block([&](auto delays, std::span<const double> weights) {
      if (weights.empty())
        for (const std::int64_t ns : delays) visit(ns, 1.0);
      else
        for (std::size_t i = 0; i < delays.size(); ++i) visit(std::int64_t{delays[i]}, weights[i]);
    });
  }
  /// Calls visit(delays, weights) for each block.  `delays` is a span of numbers of 32 bits without
  /// a sign or of 64 bits; `weights` is empty if all are 1.
  template <class Visit>
  void for_each_block(Visit visit) const {
    for (const Piece& piece : pieces_) piece.block->show(piece.size, visit);
    if (tail_) tail_->show(used_, visit);
  }

 private:
  // Lists double up to `small`, since there may be a million of them; after that the next block is
  // as large as all before it, up to 1 MiB of short delays.
  static constexpr std::size_t small = 256;
  static constexpr std::size_t largest_block = 262'144;

  static bool is_short(std::int64_t ns) {
    return static_cast<std::uint64_t>(ns) <= std::numeric_limits<std::uint32_t>::max();
  }

  struct Block {
    std::vector<std::int64_t, LargeAllocator<std::int64_t>> delays;
    std::vector<std::uint32_t, LargeAllocator<std::uint32_t>> short_delays;  ///< or these
    std::vector<double> weights;  ///< empty as long as all are 1

    template <class Visit>
    void show(std::size_t size, Visit& visit) const {
      if (short_delays.empty())
        visit(std::span{delays}.first(size), std::span{weights});
      else
        visit(std::span{short_delays}.first(size), std::span{weights});
    }
  };
  /// The first samples of a block.  The block's owner may append behind them.
  struct Piece {
    std::shared_ptr<const Block> block;
    std::size_t size;
  };

  void begin_block(std::size_t capacity);
  void seal();
  void widen();

  std::vector<Piece> pieces_;
  std::shared_ptr<Block> tail_;  ///< sized ahead, so that appending is a store and an increment
  std::size_t capacity_ = 0;     ///< of tail_
  std::size_t used_ = 0;         ///< samples in tail_
  std::size_t sealed_ = 0;       ///< samples in pieces_
  bool is_narrow_ = false;       ///< tail_ holds short delays
  bool all_short_ = true;        ///< large blocks may be narrow
};

}  // namespace sojourn
