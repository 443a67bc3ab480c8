#pragma once
// Points in a row with known delays, losses and clocks: what they would report.

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "collector/collector.h"
#include "oneway/test_flows.h"

namespace sojourn {

struct TestHop {
  Duration forward = std::chrono::milliseconds{5}, backward = std::chrono::milliseconds{5};
  double loss = 0;
};

/// Flows of a few packets, in both directions or one, over points 0, 1, 2, ... in a row.  Each
/// point reports every ten seconds what ended fifteen seconds before.
class TestNetwork {
 public:
  TestNetwork(std::vector<std::string> names, std::vector<TestHop> hops, std::uint64_t seed)
      : names_(std::move(names)),
        hops_(std::move(hops)),
        random_(seed),
        offsets(names_.size()),
        selections(names_.size(), Selection{}),
        records_(names_.size()),
        passed(names_.size()) {}

  /// `flows` a second from `from` to `to`; of every other one the direction is backward if
  /// `both_ways`.
  void run(Duration from, Duration to, int flows_a_second, bool both_ways) {
    const auto count = (to - from) / std::chrono::seconds{1} * flows_a_second;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto at = from + (to - from) * i / count;
      flow(at, both_ways && i % 2 == 1);
    }
  }

  /// Reports of all points in [from, to), in the order of time; `take(point, report, now)`.
  template <class Take>
  void report(Duration from, Duration to, Take take) {
    for (Duration now = from; now < to; now += std::chrono::seconds{10})
      for (std::size_t point = 0; point < names_.size(); ++point)
        take(point, report_of(point, now), test_time(now));
  }

  /// The next report of the point: all that ended fifteen seconds before `now`.
  PointReport report_of(std::size_t point, Duration now) {
    PointReport report;
    report.point = {names_[point], 1};
    report.number = ++numbers_[point];
    report.exported = test_time(now) + offsets[point];
    report.selection = selections[point];
    report.clock = ClockState{true, std::chrono::microseconds{100}};
    auto& waiting = records_[point];
    std::erase_if(waiting, [&](const FlowRecord& record) {
      if (record.last - offsets[point] > test_time(now - std::chrono::seconds{15})) return false;
      report.records.push_back(record);
      return true;
    });
    exported_[point] += report.records.size();
    PointCounters counters;
    counters.records_exported = exported_[point];
    report.counters = counters;
    return report;
  }

  /// Of the flows that began at `after` or later: packets that passed the point in a direction.
  std::uint64_t packets_at(std::size_t point, bool backward, Duration after) const {
    std::uint64_t sum = 0;
    for (const Passed& each : passed[point])
      if (each.backward == backward && each.began >= after) sum += each.packets;
    return sum;
  }

 private:
  struct Passed {
    bool backward;
    Duration began;
    std::uint64_t packets;
  };

  void flow(Duration at, bool backward) {
    const std::uint32_t number = flows_++ / 2;
    FlowKey key = test_flow_key(number);
    key.destination = *IpAddress::parse("192.0.2.1");
    key.destination_port = static_cast<std::uint16_t>(443 + number % 7);
    if (backward) key = key.reversed();
    if (ports_of_their_own) key.source_port = static_cast<std::uint16_t>(20'000 + flows_);
    const int packets = random_() % 2 == 0 ? 1 : 2 + static_cast<int>(random_() % 20);
    std::vector<FlowRecord> seen(names_.size());
    for (int i = 0; i < packets; ++i) {
      Duration time = at + i * std::chrono::milliseconds{20};
      const auto label = static_cast<std::uint32_t>(random_());
      for (std::size_t step = 0; step < names_.size(); ++step) {
        const std::size_t point = backward ? names_.size() - 1 - step : step;
        if (step > 0) {
          const TestHop& hop = hops_[backward ? point : point - 1];
          if (static_cast<double>(random_() % 1'000'000) < hop.loss * 1e6) break;
          time += backward ? hop.backward : hop.forward;
        }
        FlowRecord& record = seen[point];
        const Timestamp when = test_time(time) + offsets[point];
        if (record.packets++ == 0) {
          record.key = key;
          record.first = when;
          record.first_label = label;
        }
        record.last = when;
        record.last_label = label;
      }
    }
    for (std::size_t point = 0; point < names_.size(); ++point) {
      if (seen[point].packets == 0) continue;
      records_[point].push_back(seen[point]);
      passed[point].push_back({backward, at, seen[point].packets});
    }
  }

  std::vector<std::string> names_;
  std::vector<TestHop> hops_;
  std::mt19937_64 random_;
  std::uint32_t flows_ = 0;
  std::map<std::size_t, std::uint64_t> numbers_, exported_;

 public:
  std::vector<Duration> offsets;  ///< of the clocks
  std::vector<Selection> selections;
  bool ports_of_their_own = false;  ///< no flow answers another

 private:
  std::vector<std::vector<FlowRecord>> records_;

 public:
  std::vector<std::vector<Passed>> passed;
};

/// What a store would hold, as sums.
class TestSums {
 public:
  void take(const StoreWrite& write) {
    for (const auto& [series, block] : write.blocks)
      for (const HistogramCell& cell : block.cells)
        cells_[{write.subjects[series.subject], series.measure, cell.bin}] += cell.weight;
    for (const PointLedger& ledger : write.ledgers) {
      PointLedger& kept = ledgers_[{ledger.point, ledger.instance}];
      kept = ledger;
      for (const Account account : {Account::stored, Account::cells_stored})
        kept.accounts[account] = ledger.in_store(account);
    }
    for (const SegmentClock& clock : write.clocks) clocks[write.subjects[clock.subject]] = clock;
  }

  double loss(const std::string& segment, LossBin bin) const {
    const auto found =
        cells_.find({segment, number_of(Measure::loss), static_cast<std::int32_t>(bin)});
    return found == cells_.end() ? 0 : found->second;
  }
  /// Weight of the one-way delays within a share of `delay`, and of all.
  std::pair<double, double> delays_near(const std::string& segment, Duration delay) const {
    std::pair<double, double> sums{0, 0};
    for (const auto& [key, weight] : cells_) {
      const auto& [subject, measure, bin] = key;
      if (subject != segment || measure != number_of(Measure::oneway)) continue;
      sums.second += weight;
      if (bin == LogBuckets::index_of(delay.count())) sums.first += weight;
    }
    return sums;
  }
  std::vector<std::string> segments() const {
    std::vector<std::string> names;
    for (const auto& [key, weight] : cells_)
      if (std::get<1>(key) == number_of(Measure::oneway) &&
          (names.empty() || names.back() != std::get<0>(key)))
        names.push_back(std::get<0>(key));
    return names;
  }
  std::vector<PointLedger> ledgers() const {
    std::vector<PointLedger> all;
    for (const auto& [key, ledger] : ledgers_) all.push_back(ledger);
    return all;
  }
  const PointLedger& ledger(const std::string& point, std::uint64_t instance = 1) const {
    return ledgers_.at({point, instance});
  }

  std::map<std::string, SegmentClock> clocks;

 private:
  std::map<std::tuple<std::string, std::uint8_t, std::int32_t>, double> cells_;
  std::map<std::pair<std::string, std::uint64_t>, PointLedger> ledgers_;
};

}  // namespace sojourn
