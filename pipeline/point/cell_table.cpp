#include "pipeline/point/cell_table.h"

#include <algorithm>

#include "estimate/distribution/flow_tag.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {

std::size_t CellTable::KeyHash::operator()(const Key& key) const {
  static constexpr HashKey fixed = HashKey::from_seed(0);  // keys are few and not a stranger's
  std::uint64_t hash =
      keyed_hash(fixed, static_cast<std::uint64_t>(key.slice),
                 static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.bin)) << 24 |
                     static_cast<std::uint64_t>(key.kind) << 16 |
                     static_cast<std::uint64_t>(key.leg) << 8 | key.group);
  if (key.prefix != IpAddress{})  // else all traffic, the usual case
    for (const std::uint8_t byte : key.prefix.bytes()) hash = keyed_hash(fixed, hash, byte);
  return hash;
}

void CellTable::take(std::span<const Sample> samples) {
  for (const Sample& sample : samples) add(sample);
}

void CellTable::add(const Sample& sample) {
  ++samples_;
  const FlowTag flow =
      sample.flow != 0 ? FlowTag::of(sample.flow) : FlowTag::numbered(++strangers_);
  const std::int64_t length = to_ns(options_.slice), time = to_ns(sample.time);
  const std::int64_t slice = time / length - (time % length < 0);
  std::size_t prefix_length = options_.prefix_length;
  if (sample.responder.version() == IpVersion::v6)
    prefix_length = std::min<std::size_t>(128, prefix_length * 2);
  Key key{slice,
          LogBuckets::index_of(to_ns(sample.delay)),
          static_cast<std::uint8_t>(sample.kind),
          static_cast<std::uint8_t>(sample.leg),
          static_cast<std::uint8_t>(flow.group()),
          {}};
  if (prefix_length > 0) key.prefix = sample.responder.masked(prefix_length);
  auto found = cells_.find(key);
  if (found == cells_.end()) {
    if (cells_.size() >= options_.most_cells) return void(++left_out_);
    RttCell cell;
    cell.slice = timestamp_from_ns(slice * length);
    cell.length = options_.slice;
    cell.kind = sample.kind;
    cell.leg = sample.leg;
    cell.prefix = key.prefix;
    cell.prefix_length = static_cast<std::uint8_t>(prefix_length);
    cell.flow_group = key.group;
    cell.bin = key.bin;
    found = cells_.emplace(key, cell).first;
  }
  RttCell& cell = found->second;
  cell.weight += sample.weight;
  cell.squared_weights += sample.weight * sample.weight;
  cell.flow_marks |= std::uint64_t{1} << flow.mark();
}

void CellTable::move_to(std::vector<RttCell>& cells) {
  cells.clear();
  for (const auto& [key, cell] : cells_) cells.push_back(cell);
  cells_.clear();
}

}  // namespace sojourn
