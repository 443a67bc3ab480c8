#include "pipeline/point/cell_table.h"

#include <algorithm>
#include <bit>

#include "core/flow_tag.h"
#include "core/hash.h"
#include "estimate/distribution/log_histogram.h"
#include "naming/group_choice.h"
#include "naming/stored_group.h"

namespace sojourn {
namespace {

constexpr HashKey fixed_key = HashKey::from_seed(0);  // who aims at it gets a slow point, no more

std::uint64_t hash_of(const RttCell& cell) {
  std::uint64_t hash =
      keyed_hash(fixed_key, static_cast<std::uint64_t>(to_ns(cell.slice)),
                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(cell.bin)) << 24 |
                     static_cast<std::uint64_t>(index_of(cell.kind)) << 16 |
                     static_cast<std::uint64_t>(index_of(cell.leg)) << 8 | cell.flow_group);
  if (cell.prefix_length > 0)  // else all traffic, the usual case
    for (const std::uint8_t byte : cell.prefix.bytes()) hash = keyed_hash(fixed_key, hash, byte);
  return hash;
}

bool alike(const RttCell& a, const RttCell& b) {
  return a.bin == b.bin && a.slice == b.slice && a.kind == b.kind && a.leg == b.leg &&
         a.flow_group == b.flow_group && a.prefix_length == b.prefix_length && a.prefix == b.prefix;
}

Prefix group_of(const Sample& sample, std::size_t length) {
  if (length == GroupChoice::port) return group_of_port(sample.server_port());
  if (length == GroupChoice::flow)
    if (const auto flow = group_of_flow(sample)) return *flow;
  const bool v6 = sample.responder.version() == IpVersion::v6;
  return {sample.responder,
          v6 ? std::min<std::size_t>(128, length * 2) : std::min<std::size_t>(32, length)};
}

}  // namespace

CellTable::CellTable(const CellOptions& options)
    : options_(options), places_(std::bit_ceil(2 * options.most_cells)) {}

void CellTable::take(std::span<const Sample> samples) {
  for (const Sample& sample : samples) add(sample);
}

std::uint32_t& CellTable::place_of(const RttCell& wanted) {
  const std::size_t mask = places_.size() - 1;
  std::size_t place = hash_of(wanted) & mask;
  while (places_[place] != 0 && !alike(cells_[places_[place] - 1u], wanted))
    place = (place + 1) & mask;
  return places_[place];
}

void CellTable::add(const Sample& sample) {
  ++samples_;
  const FlowTag flow =
      sample.flow != 0 ? FlowTag::of(sample.flow) : FlowTag::numbered(++strangers_);
  const std::int64_t length = to_ns(options_.slice), time = to_ns(sample.time);
  const std::int64_t slice = time / length - (time % length < 0);
  RttCell cell;
  cell.slice = timestamp_from_ns(slice * length);
  cell.length = options_.slice;
  cell.kind = sample.kind;
  cell.leg = sample.leg;
  if (options_.prefix_length > 0) {
    const Prefix group = group_of(sample, options_.prefix_length);
    cell.prefix = group.network();
    cell.prefix_length = static_cast<std::uint8_t>(group.length());
  }
  cell.flow_group = static_cast<std::uint8_t>(flow.group());
  cell.bin = LogBuckets::index_of(to_ns(sample.delay));

  std::uint32_t& place = place_of(cell);
  if (place == 0) {
    if (cells_.size() >= options_.most_cells) return void(++left_out_);
    cells_.push_back(cell);
    place = static_cast<std::uint32_t>(cells_.size());
  }
  RttCell& sums = cells_[place - 1u];
  sums.weight += sample.weight;
  sums.squared_weights += sample.weight * sample.weight;
  sums.flow_marks |= std::uint64_t{1} << flow.mark();
}

void CellTable::move_to(std::vector<RttCell>& cells) {
  cells.clear();
  cells.swap(cells_);
  std::ranges::fill(places_, 0u);
}

}  // namespace sojourn
