#pragma once
// Every delay in the order it was measured, for quantiles that are exact to the nanosecond.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sojourn {

/// An append-only list in blocks: appending never moves what is in a full block, and joining two
/// lists shares the full blocks instead of copying them.  8 bytes a sample, 16 in blocks where
/// some weight is not 1.
class SampleLog {
 public:
  /// Before append(): is there no room?  Then grow() first.
  bool full() const { return used_ == tail_.delays.size(); }
  void grow();
  void append(std::int64_t ns, double weight) {
    if (weight != 1 && tail_.weights.empty()) [[unlikely]] tail_.weights.resize(tail_.delays.size(), 1.0);
    tail_.delays[used_] = ns;
    if (!tail_.weights.empty()) tail_.weights[used_] = weight;
    ++used_;
  }
  /// How many more fit before the next grow().
  std::size_t room() const { return tail_.delays.size() - used_; }
  /// At most room() samples of weight 1.
  void append_plain(std::span<const std::int64_t> delays_ns) {
    std::ranges::copy(delays_ns, tail_.delays.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += delays_ns.size();  // weights, if the block has any, are 1 until they are set
  }
  void append_all(const SampleLog& other);
  void clear();

  std::size_t size() const { return sealed_ + used_; }

  /// Calls visit(ns, weight) for each sample.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& block : blocks_) visit_block(*block, block->delays.size(), visit);
    visit_block(tail_, used_, visit);
  }

 private:
  static constexpr std::size_t block_size = 65'536;

  struct Block {
    std::vector<std::int64_t> delays;
    std::vector<double> weights;  ///< empty as long as all are 1
  };

  template <class Visit>
  static void visit_block(const Block& block, std::size_t size, Visit& visit) {
    if (block.weights.empty())
      for (std::size_t i = 0; i < size; ++i) visit(block.delays[i], 1.0);
    else
      for (std::size_t i = 0; i < size; ++i) visit(block.delays[i], block.weights[i]);
  }

  std::vector<std::shared_ptr<const Block>> blocks_;
  Block tail_;              ///< sized ahead, so that appending is a store and an increment
  std::size_t used_ = 0;    ///< samples in tail_
  std::size_t sealed_ = 0;  ///< samples in blocks_
};

}  // namespace sojourn
