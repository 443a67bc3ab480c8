#include "collector/collector.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"

namespace sojourn {
namespace {

constexpr std::size_t most_instances = 65'536;
constexpr std::size_t records_ahead = 16;  ///< whose chains are on their way into the cache

/// Flows keep their group over restarts and in every collector: otherwise groups of two years would
/// be of different flows.
constexpr std::uint64_t flow_seed = 0x50'6a'0f'1e'57;

constexpr std::array<std::string_view, static_cast<std::size_t>(PointKind::count_)> counted_of = {
    "flows", "marks", "delays by reference packets"};

std::size_t records_of(const std::vector<ReferenceInterval>& intervals) {
  std::size_t records = 0;
  for (const ReferenceInterval& interval : intervals) records += interval.records();
  return records;
}

/// Behind what the last report of the same run brought.
template <class Counts, class Run>
Counts& counts_for(std::vector<Counts>& all, const PointIdentity& point, const Run& run) {
  if (all.empty() || all.back().instance != point.instance || all.back().point != point.name ||
      all.back().run != run)
    all.push_back({point.name, point.instance, run, {}});
  return all.back();
}

}  // namespace

Collector::Collector(const CollectorOptions& options)
    : options_(options),
      hash_key_(HashKey::from_seed(flow_seed)),
      network_(options.path),
      waiting_(options.memory_bytes) {
  // Whoever waits for a decision must not be gone when it comes.
  options_.warm_up = std::min(options_.warm_up, options_.wait / 4);
}

void Collector::resume(std::span<const PointLedger> ledgers) {
  for (const PointLedger& ledger : ledgers) {
    const auto place = network_.place_named(ledger.point);
    if (!place || instances_.size() >= most_instances) continue;
    Instance instance;
    instance.ledger = ledger;
    instance.place = *place;
    instance.reports = SeenReports::parse(ledger.reports);
    // They waited in the memory of a collector that is gone.
    auto& accounts = instance.ledger.accounts;
    accounts[Account::lost_at_restart] += std::exchange(accounts[Account::waiting], 0);
    watch_.resume({ledger.point, ledger.instance}, ledger.marking_interval, ledger.marking);
    instance_numbers_.emplace(std::pair{ledger.point, ledger.instance},
                              static_cast<std::uint32_t>(instances_.size()));
    instances_.push_back(std::move(instance));
  }
}

Instance* Collector::instance_of(const PointReport& report, Timestamp now) {
  const std::pair key{report.point.name, report.point.instance};
  const auto known = instance_numbers_.find(key);
  if (known != instance_numbers_.end()) {
    Instance& instance = instances_[known->second];
    // Known from the store only: this collector has not seen what passed before either.
    if (instance.begin == Timestamp{})
      instance.begin = std::max(report.exported, Timestamp{} + Duration{1});
    return &instance;
  }
  const auto place = network_.place_named(report.point.name);
  if (!place || instances_.size() >= most_instances) {
    notice("too many points", "too many points: what further ones send is not taken", now);
    return nullptr;
  }
  Instance instance;
  instance.ledger.point = report.point.name;
  instance.ledger.instance = report.point.instance;
  instance.ledger.first_heard = now;
  instance.place = *place;
  instance.begin = report.exported;
  instance_numbers_.emplace(key, static_cast<std::uint32_t>(instances_.size()));
  instances_.push_back(std::move(instance));
  return &instances_.back();
}

void Collector::take(const PointReport& report, Timestamp now) {
  Instance* instance = instance_of(report, now);
  if (instance == nullptr) return;
  const auto number = static_cast<std::uint32_t>(instance - instances_.data());
  Place& place = network_.places[instance->place];
  auto& accounts = instance->ledger.accounts;
  instance->changed = true;
  instance->ledger.last_heard = place.last_heard = now;
  const std::uint64_t records = report.records.size() + report.records_without_label +
                                report.marks.size() + records_of(report.references);
  accounts[Account::received] += records;
  if (report.number != 0 && !instance->reports.take(report.number)) {
    accounts[Account::repeated] += records;
    return;
  }
  look_for_same_name(*instance, report, now);
  learn(place, *instance, report, now);
  const auto missing = static_cast<std::int64_t>(accounts[Account::missing]);
  accounts[Account::missing] =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, missing + report.missing_records));
  accounts[Account::without_label] += report.records_without_label;
  take_cells(place, *instance, report.cells);
  if (options_.keep_packets) keep_packets(place, report);
  if (report.marking) take_marks(*instance, report);
  if (report.referencing) take_references(*instance, report);

  const std::span<const FlowRecord> all = report.records;
  std::array<std::uint64_t, records_ahead> flows{};
  for (std::size_t i = 0; i < all.size() + records_ahead; ++i) {
    if (i >= records_ahead)
      take_record(all[i - records_ahead], number, flows[i % records_ahead], now);
    if (i < all.size()) {
      flows[i % records_ahead] = hash_of(hash_key_, all[i].key);
      waiting_.prefetch(flows[i % records_ahead]);
    }
    if (i >= records_ahead / 2 && i < all.size() + records_ahead / 2)
      waiting_.prefetch_newest(flows[(i - records_ahead / 2) % records_ahead]);
  }
}

void Collector::learn(Place& place, Instance& instance, const PointReport& report, Timestamp now) {
  place.begin = instance.begin;
  if (report.selection) {
    if (place.selection != report.selection)
      for (const Place& other : network_.places)
        if (other.selection && *other.selection != *report.selection && other.name != place.name)
          notice("selection " + place.name + " " + other.name,
                 fmt::format("{} and {} select differently and are not joined: {}", other.name,
                             place.name, difference_of(*other.selection, *report.selection)),
                 now);
    place.selection = report.selection;
    place.selection_number = network_.number_of(*report.selection);
  }
  if (report.clock) {
    place.clock = report.clock;
    instance.ledger.clock_error_ns.reset();
    if (report.clock->synchronised)
      instance.ledger.clock_error_ns = to_ns(report.clock->maximum_error);
    else
      notice("clock " + place.name, fmt::format("the clock of {} is not synchronised", place.name),
             now);
  }
  if (report.exported > now + options_.window)
    notice("ahead " + place.name,
           fmt::format("the clock of {} is {} ahead of the collector's; records whose clocks are "
                       "more than {} apart are not joined",
                       place.name, format_duration(report.exported - now),
                       format_duration(options_.window)),
           now);
  if (report.counters && report.counters->packets_seen >=
                             instance.ledger[Account::packets_seen]) {  // not out of an old spool
    auto& accounts = instance.ledger.accounts;
    const PointCounters& counters = *report.counters;
    accounts[Account::packets_seen] = counters.packets_seen;
    accounts[Account::packets_not_selected] = counters.packets_not_selected;
    accounts[Account::packets_selected] = counters.packets_selected;
    accounts[Account::packets_in_cache] = counters.packets_in_cache;
    accounts[Account::packets_exported] = counters.packets_exported;
    accounts[Account::packets_spooled] = counters.packets_spooled;
    accounts[Account::packets_discarded] = counters.packets_discarded;
    accounts[Account::packets_dropped] = counters.packets_dropped;
    accounts[Account::records_exported] =
        std::max(accounts[Account::records_exported], counters.records_exported);
    accounts[Account::records_spooled] = counters.records_spooled;
    accounts[Account::records_discarded] = counters.records_discarded;
  }
}

void Collector::take_cells(const Place& place, Instance& instance, std::span<const RttCell> cells) {
  instance.ledger.accounts[Account::cells_received] += cells.size();
  for (const RttCell& cell : cells) {
    if (!is_possible_weight(cell.weight, cell.squared_weights) ||
        cell.flow_group >= FlowTag::groups) {
      ++instance.ledger.accounts[Account::cells_refused];
      continue;
    }
    CellSeries series;
    series.slice = slice_of(cell.slice, finest_slice);
    series.subject = place.subject;
    series.measure = number_of(cell.kind);
    series.leg = static_cast<std::uint8_t>(cell.leg);
    series.prefix = cell.prefix;
    series.prefix_length = cell.prefix_length;
    cells_.add(series, cell.bin, cell.flow_group, cell.flow_marks, cell.weight,
               cell.squared_weights);
  }
}

/// The ends of records, as far as their labels can tell packets apart.
void Collector::keep_packets(const Place& place, const PointReport& report) {
  // Without numbers the same packet twice would be two.
  if (report.number == 0 || !place.selection) return;
  RawPacket packet;
  packet.point = place.subject;
  packet.instance = report.point.instance;
  packet.report = report.number;
  packet.selection = key_of(*place.selection);
  for (const FlowRecord& record : report.records) {
    const bool v4 = record.key.destination.version() == IpVersion::v4;
    packet.prefix_length = v4 ? options_.v4_prefix : options_.v6_prefix;
    packet.prefix = record.key.destination.masked(packet.prefix_length);
    packet.flow = hash_of(hash_key_, record.key);
    packet.packets = record.packets;
    const bool alike = record.packets > 1 && record.first_label == record.last_label;
    if (!alike) {
      packet.is_last = false;
      packet.label = record.first_label;
      packet.time = record.first;
      packets_.push_back(packet);
    }
    if (!alike && record.packets > 1) {
      packet.is_last = true;
      packet.label = record.last_label;
      packet.time = record.last;
      packets_.push_back(packet);
    }
    ++packet.position;
  }
}

/// They are kept as they came, and joined when somebody asks: late ones change nothing then.
void Collector::take_marks(Instance& instance, const PointReport& report) {
  instance.ledger.accounts[Account::marks] += report.marks.size();
  instance.ledger.marking_interval = report.marking->length();
  auto& counts = counts_for(marks_, report.point, *report.marking).counts;
  counts.insert(counts.end(), report.marks.begin(), report.marks.end());
  counts_ += report.marks.size();
  for (const MarkingNews& news : watch_.heard(report.point, WatchedRun{*report.marking}))
    tell(news);
}

void Collector::take_references(Instance& instance, const PointReport& report) {
  const std::size_t records = records_of(report.references);
  instance.ledger.accounts[Account::references] += records;
  instance.ledger.marking_interval = report.referencing->longest_interval();
  auto& intervals = counts_for(references_, report.point, *report.referencing).intervals;
  for (const ReferenceInterval& part : report.references) append_part(intervals, part);
  counts_ += records;
  for (const MarkingNews& news : watch_.heard(report.point, WatchedRun{*report.referencing}))
    tell(news);
}

void Collector::look_for_same_name(Instance& instance, const PointReport& report, Timestamp now) {
  if (report.marking) instance.kind = PointKind::marks;
  if (report.referencing) instance.kind = PointKind::references;
  const auto kind = static_cast<std::size_t>(instance.kind);
  Place& place = network_.places[instance.place];
  const auto number = static_cast<std::uint32_t>(&instance - instances_.data());
  if (!place.same_names[kind].heard(number, instance.begin, report.exported)) return;
  ++instance.ledger.accounts[Account::same_name];
  notice(fmt::format("same name {} {}", kind, place.name),
         fmt::format("two points called {} report {} at the same time, which get mixed; give each "
                     "a name of its own",
                     place.name, counted_of[kind]),
         now);
}

void Collector::tell(const MarkingNews& news) {
  const auto known = instance_numbers_.find({news.point.name, news.point.instance});
  if (known == instance_numbers_.end()) return;
  Instance& instance = instances_[known->second];
  instance.ledger.marking = news.state;
  instance.changed = true;
  if (news.state == MarkingState::silent) ++instance.ledger.accounts[Account::silences];
  has_news_ = true;
  if (!news.sentence.empty()) notices_.push_back(news.sentence);
}

void Collector::advance(Timestamp now) {
  // Nothing is read from points meanwhile: their silence is our own.
  if (!congested())
    for (const MarkingNews& news : watch_.advance(now)) tell(news);
  while (!waiting_.empty() && now - waiting_.oldest().arrived >= options_.wait)
    expire_oldest(now, Leaving::in_time);
  for (std::size_t i = 0; i < network_.pairs.size(); ++i) {
    Pair& pair = network_.pairs[i];
    if (!pair.candidates.empty() && now - pair.first_met >= options_.warm_up) make_ready(pair, now);
    if (pair.clock.steps() == pair.steps_told) continue;
    pair.steps_told = pair.clock.steps();
    const std::string names = network_.places[pair.x].name + " and " + network_.places[pair.y].name;
    notice("step " + names, "the clocks of " + names + " have moved against each other", now);
  }
}

void Collector::finish(Timestamp now) {
  advance(now);
  for (std::size_t i = 0; i < network_.pairs.size(); ++i) make_ready(network_.pairs[i], now);
  while (!waiting_.empty()) expire_oldest(now, Leaving::at_end);
}

StoreWrite Collector::to_store(Timestamp now) {
  ledgers_.clear();
  for (Instance& instance : instances_) {
    if (!instance.changed) continue;
    instance.ledger.reports = instance.reports.to_string();
    ledgers_.push_back(instance.ledger);
  }
  clocks_.clear();
  for (Pair& pair : network_.pairs) {
    const auto error_of = [&](std::uint32_t place) -> std::optional<std::int64_t> {
      const auto& clock = network_.places[place].clock;
      if (!clock || !clock->synchronised) return std::nullopt;
      return to_ns(clock->maximum_error);
    };
    const auto x = error_of(pair.x), y = error_of(pair.y);
    const auto error = x && y ? std::optional{*x + *y} : std::nullopt;
    pair.clock.state_error(error);
    const Timestamp slice = slice_of(now, std::chrono::minutes{10});
    const auto low = pair.clock.low_ns(), high = pair.clock.high_ns();
    if (pair.forward)
      clocks_.push_back({network_.segments[*pair.forward].subject, slice, error, low, high});
    // Seen from the other end the offset is the other way round.
    if (pair.backward)
      clocks_.push_back({network_.segments[*pair.backward].subject, slice, error,
                         high ? std::optional{-*high} : high, low ? std::optional{-*low} : low});
  }
  return {now,
          now - 2 * options_.wait,
          network_.subjects,
          cells_.blocks(),
          ledgers_,
          clocks_,
          packets_,
          marks_,
          references_};
}

void Collector::stored() {
  cells_.clear();
  packets_.clear();
  marks_.clear();
  references_.clear();
  counts_ = 0;
  has_news_ = false;
  for (Instance& instance : instances_) instance.changed = false;
}

std::vector<PointLedger> Collector::ledgers() const {
  std::vector<PointLedger> all;
  for (const Instance& instance : instances_) all.push_back(instance.ledger);
  return all;
}

void Collector::notice(const std::string& cause, std::string sentence, Timestamp now) {
  const auto [known, is_new] = noticed_.try_emplace(cause, now);
  if (!is_new && now - known->second < std::chrono::hours{24}) return;
  known->second = now;
  if (noticed_.size() > 10'000) noticed_.clear();
  notices_.push_back(std::move(sentence));
}

}  // namespace sojourn
