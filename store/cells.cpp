#include "store/cells.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <tuple>

namespace sojourn {
namespace {

auto place_of(const HistogramCell& cell) { return std::tuple{cell.flow_group, cell.bin}; }

void put_number(std::vector<std::uint8_t>& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<std::uint8_t>(number | 0x80));
  out.push_back(static_cast<std::uint8_t>(number));
}

void put_word(std::vector<std::uint8_t>& out, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8)
    out.push_back(static_cast<std::uint8_t>(word >> shift));
}

/// Reads front to back; past the end gives 0 and remembers that it failed.
class Reader {
 public:
  Reader(const std::uint8_t* bytes, std::size_t size) : at_(bytes), end_(bytes + size) {}

  bool failed() const { return failed_; }
  bool done() const { return at_ == end_; }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const std::uint8_t byte = *at_++;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }
  std::uint64_t word() {
    if (end_ - at_ < 8) {
      failed_ = true;
      return 0;
    }
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 8)
      value |= static_cast<std::uint64_t>(*at_++) << shift;
    return value;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  bool failed_ = false;
};

bool is_small_count(double weight) {
  return weight > 0 && weight < 0x1p53 && weight == std::floor(weight);
}

/// An odd number is a count of samples of weight 1; 0 announces two fractions.
void put_weight(std::vector<std::uint8_t>& out, const HistogramCell& cell) {
  if (cell.weight == cell.squares && is_small_count(cell.weight))
    return put_number(out, static_cast<std::uint64_t>(cell.weight) << 1 | 1);
  put_number(out, 0);
  put_word(out, std::bit_cast<std::uint64_t>(cell.weight));
  put_word(out, std::bit_cast<std::uint64_t>(cell.squares));
}

bool take_weight(Reader& in, HistogramCell& cell) {
  const std::uint64_t number = in.number();
  if ((number & 1) != 0) {
    cell.weight = cell.squares = static_cast<double>(number >> 1);
  } else {
    cell.weight = std::bit_cast<double>(in.word());
    cell.squares = std::bit_cast<double>(in.word());
  }
  return !in.failed() && is_possible_weight(cell.weight, cell.squares);
}

constexpr std::uint64_t to_unsigned(std::int64_t number) {
  return static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
}
constexpr std::int64_t to_signed(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

}  // namespace

void CellBlock::add(const CellBlock& other) {
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] |= other.marks[i];
  std::vector<HistogramCell> merged;
  merged.reserve(cells.size() + other.cells.size());
  auto a = cells.begin();
  auto b = other.cells.begin();
  while (a != cells.end() && b != other.cells.end()) {
    if (place_of(*a) < place_of(*b)) {
      merged.push_back(*a++);
    } else if (place_of(*b) < place_of(*a)) {
      merged.push_back(*b++);
    } else {
      merged.push_back(*a++);
      merged.back().weight += b->weight;
      merged.back().squares += b++->squares;
    }
  }
  merged.insert(merged.end(), a, cells.end());
  merged.insert(merged.end(), b, other.cells.end());
  cells = std::move(merged);
}

void CellBlock::add_to(Distribution& distribution) const {
  for (const HistogramCell& cell : cells)
    distribution.add_bucket(cell.bin, cell.flow_group, cell.weight, cell.squares);
  for (unsigned group = 0; group < marks.size(); ++group)
    if (marks[group] != 0) distribution.add_flow_marks(group, marks[group]);
}

// Group by group: its number, its marks, its number of cells, and for each cell the step from the
// bin before and its weight.
std::vector<std::uint8_t> encode(const CellBlock& block) {
  std::vector<std::uint8_t> out;
  out.reserve(16 + 4 * block.cells.size());
  for (auto cell = block.cells.begin(); cell != block.cells.end();) {
    const std::uint8_t group = cell->flow_group;
    auto end = cell;
    while (end != block.cells.end() && end->flow_group == group) ++end;
    out.push_back(group);
    put_word(out, block.marks[group]);
    put_number(out, static_cast<std::uint64_t>(end - cell));
    for (std::int64_t before = 0; cell != end; ++cell) {
      put_number(out, to_unsigned(cell->bin - before));
      put_weight(out, *cell);
      before = cell->bin;
    }
  }
  return out;
}

bool decode(const std::uint8_t* bytes, std::size_t size, CellBlock& block) {
  block.cells.clear();
  block.marks.fill(0);
  Reader in{bytes, size};
  for (int last_group = -1; !in.done();) {
    const std::uint64_t group = in.number();
    if (group >= FlowTag::groups || static_cast<int>(group) <= last_group) return false;
    last_group = static_cast<int>(group);
    block.marks[group] = in.word();
    const std::uint64_t count = in.number();
    if (in.failed() || count > size) return false;
    std::int64_t bin = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::int64_t step = to_signed(in.number());
      // The step before the sum, which might overflow.
      constexpr std::int64_t longest = 2 * std::int64_t{LogBuckets::per_sign};
      if ((i > 0 && step <= 0) || step < -longest || step > longest) return false;
      bin += step;
      if (bin < -LogBuckets::per_sign || bin >= LogBuckets::per_sign) return false;
      HistogramCell cell{static_cast<std::uint8_t>(group), static_cast<std::int32_t>(bin), 0, 0};
      if (!take_weight(in, cell)) return false;
      block.cells.push_back(cell);
    }
  }
  return !in.failed();
}

}  // namespace sojourn
