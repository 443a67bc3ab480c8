#include "store/cell_batch.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "core/hash.h"

namespace sojourn {
namespace {

std::uint64_t hash_of(const CellSeries& series) {
  static constexpr HashKey key = HashKey::from_seed(0x5707e);
  std::uint64_t words[2] = {};
  const auto bytes = series.prefix.bytes();
  std::memcpy(words, bytes.data(), bytes.size());
  const std::uint64_t what = static_cast<std::uint64_t>(series.subject) << 32 |
                             static_cast<std::uint64_t>(series.measure) << 16 |
                             static_cast<std::uint64_t>(series.leg) << 8 | series.prefix_length;
  return keyed_hash(key, keyed_hash(key, static_cast<std::uint64_t>(to_ns(series.slice)), what),
                    keyed_hash(key, words[0], words[1]));
}

}  // namespace

std::uint32_t CellBatch::number_of_series(const CellSeries& series) {
  if (table_.size() < 2 * series_.size() + 64) {
    table_.assign(std::max<std::size_t>(1024, 2 * table_.size()), 0);
    for (std::uint32_t number = 0; number < series_.size(); ++number) {
      std::size_t place = hash_of(series_[number]) & (table_.size() - 1);
      while (table_[place] != 0) place = (place + 1) & (table_.size() - 1);
      table_[place] = number + 1;
    }
  }
  std::size_t place = hash_of(series) & (table_.size() - 1);
  for (; table_[place] != 0; place = (place + 1) & (table_.size() - 1))
    if (series_[table_[place] - 1] == series) return table_[place] - 1;
  series_.push_back(series);
  table_[place] = static_cast<std::uint32_t>(series_.size());
  return table_[place] - 1;
}

void CellBatch::add(const CellSeries& series, std::int32_t bin, unsigned flow_group,
                    std::uint64_t marks, double weight, double squares) {
  if (pending_.size() >= most_pending) sort_in();
  pending_.push_back({number_of_series(series), bin, marks, weight, squares,
                      static_cast<std::uint8_t>(flow_group)});
}

void CellBatch::sort_in() {
  std::ranges::sort(pending_, {}, [](const Pending& cell) {
    return std::tuple{cell.series, cell.flow_group, cell.bin};
  });
  std::vector<std::pair<CellSeries, CellBlock>> fresh;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending& cell = pending_[i];
    const bool new_series = i == 0 || pending_[i - 1].series != cell.series;
    if (new_series) fresh.emplace_back(series_[cell.series], CellBlock{});
    CellBlock& block = fresh.back().second;
    block.marks[cell.flow_group] |= cell.marks;
    if (!new_series && block.cells.back().flow_group == cell.flow_group &&
        block.cells.back().bin == cell.bin) {
      block.cells.back().weight += cell.weight;
      block.cells.back().squares += cell.squares;
    } else {
      block.cells.push_back({cell.flow_group, cell.bin, cell.weight, cell.squares});
    }
  }
  pending_.clear();
  series_.clear();
  table_.clear();
  blocks_.insert(blocks_.end(), std::make_move_iterator(fresh.begin()),
                 std::make_move_iterator(fresh.end()));
  std::ranges::sort(blocks_, {}, [](const auto& block) { return block.first; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < blocks_.size(); ++i) {
    if (blocks_[i].first == blocks_[kept].first)
      blocks_[kept].second.add(blocks_[i].second);
    else if (++kept != i)
      blocks_[kept] = std::move(blocks_[i]);
  }
  if (!blocks_.empty()) blocks_.resize(kept + 1);
  cells_ = std::accumulate(
      blocks_.begin(), blocks_.end(), std::size_t{0},
      [](std::size_t sum, const auto& block) { return sum + block.second.cells.size(); });
}

const std::vector<std::pair<CellSeries, CellBlock>>& CellBatch::blocks() {
  if (!pending_.empty()) sort_in();
  return blocks_;
}

void CellBatch::clear() {
  pending_.clear();
  series_.clear();
  table_.clear();
  blocks_.clear();
  cells_ = 0;
}

}  // namespace sojourn
