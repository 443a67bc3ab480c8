#include "estimate/distribution/flow_groups.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace sojourn {

std::uint16_t FlowGroups::new_row(std::uint32_t place) {
  std::uint8_t& octave = octaves_[place / cells_per_octave];
  if (octave == none) {
    octave = static_cast<std::uint8_t>(places_.size());
    places_.emplace_back();
  }
  rows_.emplace_back();
  counts_.emplace_back();
  return places_[octave][place % cells_per_octave] = static_cast<std::uint16_t>(rows_.size());
}

[[gnu::noinline]] void FlowGroups::add_counts(std::size_t row) {
  for (std::size_t g = 0; g < FlowTag::groups; ++g)
    rows_[row][g] += std::exchange(counts_[row][g], std::uint16_t{0});
}

void FlowGroups::add_all(std::span<const std::int32_t> buckets, std::span<const FlowTag> flows,
                         std::span<const double> weights) {
  constexpr std::size_t most = 128;
  std::array<std::uint16_t, most> numbers;
  while (!buckets.empty()) {
    const std::size_t size = std::min(buckets.size(), most);
    for (std::size_t i = 0; i < size; ++i) numbers[i] = number_of(cell_of(buckets[i]));
    const auto see = [&](FlowTag flow) { seen_[flow.group()] |= std::uint64_t{1} << flow.mark(); };
    if (weights.empty()) {
      Counts* const counts = counts_.data();
      for (std::size_t i = 0; i < size; ++i) {
        see(flows[i]);
        const std::size_t row = numbers[i] - 1u;
        constexpr auto last = std::numeric_limits<std::uint16_t>::max();
        if (++counts[row][flows[i].group()] == last) [[unlikely]]
          add_counts(row);
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        see(flows[i]);
        rows_[numbers[i] - 1u][flows[i].group()] += weights[i];
      }
      weights = weights.subspan(size);
    }
    buckets = buckets.subspan(size);
    flows = flows.subspan(size);
  }
}

void FlowGroups::add_row(std::int32_t cell, const Row& row) {
  Row& ours = row_of(cell);
  for (std::size_t g = 0; g < row.size(); ++g) ours[g] += row[g];
}

void FlowGroups::merge(const FlowGroups& other) {
  for (std::size_t g = 0; g < seen_.size(); ++g) seen_[g] |= other.seen_[g];
  other.for_each([this](std::int32_t cell, const Row& row) { add_row(cell, row); });
}

FlowCount FlowGroups::count() const {
  constexpr double bits = FlowTag::groups * FlowTag::marks;
  int set = 0;
  for (const std::uint64_t marks : seen_) set += std::popcount(marks);
  const double unset = bits - set;
  const double flows = unset > 0 ? bits * std::log(bits / unset) : FlowCount::most;
  return {std::min(std::round(flows), FlowCount::most), flows >= FlowCount::most};
}

}  // namespace sojourn
