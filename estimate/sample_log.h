#pragma once
// Every delay in the order it was measured, for quantiles that are exact to the nanosecond.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace sojourn {

/// An append-only list in blocks: appending never moves what is there, and joining two lists
/// shares the full blocks instead of copying them.  8 bytes a sample, 16 in blocks where some
/// weight is not 1.
class SampleLog {
 public:
  void append(std::int64_t ns, double weight) {
    if (tail_.delays.size() == tail_.delays.capacity()) [[unlikely]] make_room();
    if (weight != 1 || !tail_.weights.empty()) [[unlikely]] return append_weighted(ns, weight);
    tail_.delays.push_back(ns);
  }
  void append_all(const SampleLog& other);
  void clear();

  std::size_t size() const { return sealed_ + tail_.delays.size(); }

  /// Calls visit(ns, weight) for each sample.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& block : blocks_) visit_block(*block, visit);
    visit_block(tail_, visit);
  }

 private:
  static constexpr std::size_t block_size = 65'536;

  struct Block {
    std::vector<std::int64_t> delays;
    std::vector<double> weights;  ///< empty as long as all are 1
  };

  template <class Visit>
  static void visit_block(const Block& block, Visit& visit) {
    if (block.weights.empty())
      for (const std::int64_t ns : block.delays) visit(ns, 1.0);
    else
      for (std::size_t i = 0; i < block.delays.size(); ++i) visit(block.delays[i], block.weights[i]);
  }

  void make_room();
  void append_weighted(std::int64_t ns, double weight);
  void seal_tail();

  std::vector<std::shared_ptr<const Block>> blocks_;
  Block tail_;
  std::size_t sealed_ = 0;  ///< samples in blocks_
};

}  // namespace sojourn
