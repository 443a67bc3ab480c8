#include "store/clickhouse_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "store/clickhouse/values.h"
#include "store/common/or_return.h"
#include "store/second_values.h"

namespace sojourn {
namespace {

/// How far back it searches for pairs of points with common packets.
constexpr Duration looking_back = std::chrono::hours{1};

/// The packets of each point in [from, to), one row for each label of a flow: `x_point`, `x_ns` and
/// so on for prefix "x_".  If a label occurs more than once the first counts, as in
/// collector/joining.cpp.
std::string packets_of(const char* prefix, const std::string& condition, Timestamp from,
                       Timestamp to) {
  return fmt::format(
      "(select selection, flow, label, point as {0}point, min(time_ns) as {0}ns, "
      "argMin(packets, time_ns) as {0}packets, any(address) as {0}address, "
      "any(prefix_length) as {0}length, any(flow_group) as {0}group, any(marks) as {0}marks "
      "from (select distinct selection, flow, label, point, instance, report, position, is_last, "
      "time_ns, packets, address, prefix_length, flow_group, marks from packets where slice >= {1} "
      "and slice < {2}{3}) group by selection, flow, label, point)",
      prefix, seconds_of(from), seconds_of(to), condition);
}

/// LogBuckets::index_of in SQL.  Adding a half keeps the logarithm of 2^n - 1 below n.
std::string bin_of(const std::string& ns) {
  return fmt::format(
      "if({0} >= 0, toInt32(0), toInt32(-1)) + if({0} >= 0, 1, -1) * toInt32("
      "(toUInt8(floor(log2(bitOr(if({0} >= 0, {0}, -{0} - 1), 128) + 0.5))) - 7) * 128 + "
      "bitShiftRight(if({0} >= 0, {0}, -{0} - 1), "
      "toUInt8(floor(log2(bitOr(if({0} >= 0, {0}, -{0} - 1), 128) + 0.5))) - 7))",
      ns);
}

}  // namespace

Result<std::unique_ptr<Store>> ClickHouseJoin::open(const std::string& name) {
  auto cells = ClickHouseStore::open(name, false);
  if (!cells) return cells;
  std::unique_ptr<ClickHouseJoin> join{new ClickHouseJoin{std::move(*cells)}};
  if (auto found = join->find_directions(); !found)
    return std::unexpected(found.error().while_doing("cannot join in " + name));
  return join;
}

Result<void> ClickHouseJoin::find_directions() {
  std::int64_t newest = 0;
  for (const clickhouse::Server& shard : shards()) {
    const auto bytes = shard.select("select max(slice) from packets format RowBinary");
    if (!bytes) return std::unexpected(bytes.error());
    newest = std::max(newest, clickhouse::RowReader{*bytes}.number<std::int64_t>());
  }
  const Timestamp to = at_second(newest) + finest_slice, from = to - looking_back;
  struct Pair {
    std::uint64_t above = 0, below = 0;
    Timestamp newest{};
  };
  std::map<std::pair<std::string, std::string>, Pair> pairs;
  std::map<std::pair<std::string, std::string>, std::int64_t> middles;
  for (const int round : {1, 2}) {  // pairs of points, then the side of the offset
    std::string keys, values;
    for (const auto& [pair, middle] : middles) {
      keys += "," + clickhouse::quoted(pair.first + "\n" + pair.second);
      values += fmt::format(",toInt64({})", middle);
    }
    for (const clickhouse::Server& shard : shards()) {
      const auto bytes = shard.select(fmt::format(
          "select x_point, y_point, sum(y_ns - x_ns > middle), count(), max(x_ns) from (select "
          "x_point, y_point, x_ns, y_ns, transform(concat(x_point, '\\n', y_point), [''{}], "
          "[toInt64(-1){}], toInt64(-1)) as middle from {} all inner join {} using selection, "
          "flow, label) where x_point < y_point and abs(y_ns - x_ns) <= {} group by x_point, "
          "y_point format RowBinary",
          keys, values, packets_of("x_", "", from, to), packets_of("y_", "", from, to),
          to_ns(window)));
      if (!bytes) return std::unexpected(bytes.error());
      clickhouse::RowReader in{*bytes};
      while (!in.done()) {
        const std::string x = in.text();
        Pair& pair = pairs[{x, in.text()}];
        const auto above = in.number<std::uint64_t>();
        pair.above += above;
        pair.below += in.number<std::uint64_t>() - above;
        pair.newest = std::max(pair.newest, timestamp_from_ns(in.number<std::int64_t>()));
      }
      if (in.failed()) return failure("an answer that cannot be read");
    }
    if (round == 2) break;
    for (const auto& [names, pair] : pairs)
      for (const bool forward : {true, false}) {
        const auto& [x, y] = names;
        const auto clock =
            cells_->clock(forward ? x + ":" + y : y + ":" + x,
                          slice_of(from, std::chrono::minutes{10}), Timestamp::max());
        if (!clock) return std::unexpected(clock.error());
        if (!*clock || !(*clock)->offset_low_ns || !(*clock)->offset_high_ns) continue;
        const std::int64_t low = *(*clock)->offset_low_ns, high = *(*clock)->offset_high_ns;
        middles[names] = forward ? low + (high - low) / 2 : -(low + (high - low) / 2);
      }
    if (middles.empty()) break;
    pairs.clear();
  }
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min() / 2;
  for (const auto& [names, pair] : pairs) {
    const auto& [x, y] = names;
    const auto middle = middles.find(names);
    if (middle == middles.end()) {  // all of it goes in the direction of the majority
      const bool forward = pair.above >= pair.below;
      directions_.push_back({forward ? x : y, forward ? y : x, least, pair.newest});
      continue;
    }
    if (pair.above > 0) directions_.push_back({x, y, middle->second, pair.newest});
    if (pair.below > 0) directions_.push_back({y, x, -middle->second - 1, pair.newest});
  }
  return {};
}

const ClickHouseJoin::Direction* ClickHouseJoin::direction_named(const std::string& subject) const {
  const auto found = std::ranges::find(directions_, subject, &Direction::name);
  return found == directions_.end() ? nullptr : &*found;
}

Result<std::vector<SubjectSummary>> ClickHouseJoin::subjects() {
  auto stored = cells_->subjects();
  if (!stored) return stored;
  std::map<std::string, std::vector<std::uint8_t>> all;
  for (SubjectSummary& subject : *stored) all[subject.name] = std::move(subject.measures);
  for (const Direction& direction : directions_) {
    auto& measures = all[direction.name()];
    const std::uint8_t oneway = number_of(Measure::oneway);
    if (std::ranges::find(measures, oneway) == measures.end()) measures.push_back(oneway);
  }
  std::vector<SubjectSummary> list;
  for (auto& [name, measures] : all) list.push_back({name, std::move(measures)});
  return list;
}

Result<std::optional<Timestamp>> ClickHouseJoin::newest(const std::string& subject) {
  const Direction* direction = direction_named(subject);
  if (direction == nullptr) return cells_->newest(subject);
  return std::optional{slice_of(direction->newest, finest_slice) + finest_slice};
}

Result<void> ClickHouseJoin::read(const StoreRead& read, const BlockVisitor& visit) {
  if (read.measure != number_of(Measure::oneway)) return cells_->read(read, visit);
  const Direction* direction = direction_named(read.subject);
  if (direction == nullptr) return {};
  const Timestamp end = std::min(slice_of(read.to - Duration{1}, finest_slice),
                                 slice_of(direction->newest, finest_slice)) +
                        finest_slice;
  const Timestamp begin = std::max(slice_of(read.from, finest_slice), end - default_tiers[0].kept);
  const auto stretches = stretches_of(direction->from, begin, end);
  if (!stretches) return std::unexpected(stretches.error());
  for (const std::int64_t number : *stretches) {
    const Timestamp from = timestamp_from_ns(number * to_ns(stretch));
    SOJOURN_OR_RETURN(
        read_stretch(*direction, std::max(from, begin), std::min(from + stretch, end), visit));
  }
  return {};
}

// Two days have 288 of them, and each costs a join on every shard.
Result<std::set<std::int64_t>> ClickHouseJoin::stretches_of(const std::string& point,
                                                            Timestamp from, Timestamp to) const {
  static_assert(stretch % finest_slice == Duration{});
  std::set<std::int64_t> numbers;
  for (const clickhouse::Server& shard : shards()) {
    const auto bytes = shard.select(
        fmt::format("select distinct toInt64(intDiv(slice, {})) from packets where point = {} and "
                    "slice >= {} and slice < {} format RowBinary",
                    to_ns(stretch) / 1'000'000'000, clickhouse::quoted(point), seconds_of(from),
                    seconds_of(to)));
    if (!bytes) return std::unexpected(bytes.error());
    clickhouse::RowReader in{*bytes};
    while (!in.done()) numbers.insert(in.number<std::int64_t>());
    if (in.failed()) return failure("an answer that cannot be read");
  }
  return numbers;
}

Result<void> ClickHouseJoin::read_stretch(const Direction& direction, Timestamp from, Timestamp to,
                                          const BlockVisitor& visit) {
  const auto at = [](const std::string& point) {
    return " and point = " + clickhouse::quoted(point);
  };
  const std::string sql = fmt::format(
      "select x_ns - (x_ns % {0} + {0}) % {0} as slice_ns, x_address, x_length, x_group, bin, "
      "sum(weight), sum(weight * weight), groupBitOr(x_marks) from (select x_ns, x_address, "
      "x_length, x_group, x_marks, if(x_packets > 1, x_packets / 2, 1) as weight, toInt64({1}) as "
      "bin from "
      "{2} all inner join {3} using selection, flow, label where x_ns >= {4} and x_ns < {5} and "
      "y_ns - x_ns > {6} and abs(y_ns - x_ns) <= {7}) group by slice_ns, x_address, x_length, "
      "x_group, bin order by slice_ns, x_address, x_length, x_group, bin format RowBinary",
      to_ns(finest_slice), bin_of("(y_ns - x_ns)"),
      packets_of("x_", at(direction.from), from - window, to + window),
      packets_of("y_", at(direction.to), from - 2 * window, to + 2 * window), to_ns(from),
      to_ns(to), direction.threshold_ns, to_ns(window));
  for (const clickhouse::Server& shard : shards()) {
    const auto bytes = shard.select(sql);
    if (!bytes) return std::unexpected(bytes.error());
    clickhouse::RowReader in{*bytes};
    while (!in.done()) {
      CellSeries series;
      series.measure = number_of(Measure::oneway);
      series.slice = timestamp_from_ns(in.number<std::int64_t>());
      const std::string_view address = in.fixed(16);
      if (address.size() == 16) series.prefix = address_of(address);
      series.prefix_length = in.number<std::uint8_t>();
      CellBlock block;
      HistogramCell cell;
      cell.flow_group = in.number<std::uint8_t>();
      cell.bin = static_cast<std::int32_t>(in.number<std::int64_t>());
      cell.weight = in.number<double>();
      cell.squares = in.number<double>();
      const auto marks = in.number<std::uint64_t>();
      if (in.failed() || cell.flow_group >= FlowTag::groups)
        return failure("an answer that cannot be read");
      block.marks[cell.flow_group] = marks;
      block.cells = {cell};
      visit(series, finest_slice, block);
    }
  }
  return {};
}

}  // namespace sojourn
