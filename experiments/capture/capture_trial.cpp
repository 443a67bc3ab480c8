#include "experiments/capture/capture_trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <type_traits>
#include <unordered_set>

#include "capture/files/open.h"
#include "capture/source_warnings.h"
#include "core/hash.h"
#include "core/run_jobs.h"
#include "estimate/distribution/distribution.h"
#include "estimate/distribution/inverse_variance.h"
#include "pipeline/read_summaries.h"
#include "pipeline/rtt_options.h"
#include "roundtrip/rules/pairing.h"
#include "roundtrip/table_batch.h"
#include "wire/headers/dns.h"

namespace sojourn {
namespace {

constexpr std::size_t batch_size = 128;
constexpr std::uint64_t reading_seed = 1;  // the key of flows and pairs; each run has its own hash
constexpr double nothing_found = 0;        // a ratio of 0: infinitely many octaves

KindSet only(Kind kind) {
  KindSet kinds = KindSet::none();
  kinds.add(kind);
  return kinds;
}

std::array<double, 102> percentiles() {
  std::array<double, 102> qs;
  for (std::size_t i = 0; i <= 100; ++i) qs[i] = static_cast<double>(i) / 100;
  qs[101] = 0.999;
  return qs;
}

/// Headers and one byte behind them (QUIC's), or all of a segment that may hold DNS messages.
std::uint16_t bytes_for_rules(const Summary& packet) {
  const bool may_be_dns = packet.source_port == dns_port || packet.destination_port == dns_port;
  if (packet.content == Content::tcp && may_be_dns) return packet.ip_captured;
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(packet.ip_captured, packet.payload_offset + 1u));
}

double ratio_of(Duration estimated, Duration truth) {
  return static_cast<double>(std::max<std::int64_t>(estimated.count(), 1)) /
         static_cast<double>(std::max<std::int64_t>(truth.count(), 1));
}

}  // namespace

double TrialOutcome::octaves(int percentile) const {
  const double at = ratio[static_cast<std::size_t>(percentile)];
  return at > 0 ? std::fabs(std::log2(at)) : std::numeric_limits<double>::infinity();
}

double TrialOutcome::worst_octaves() const {
  double worst = 0;
  for (int percentile = 5; percentile <= 95; ++percentile)
    worst = std::max(worst, octaves(percentile));
  return worst;
}

double median_over(std::span<const TrialOutcome> outcomes,
                   const std::function<double(const TrialOutcome&)>& figure) {
  std::vector<double> values;
  for (const TrialOutcome& outcome : outcomes) values.push_back(figure(outcome));
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Result<CaptureTrial> CaptureTrial::read(const std::vector<std::string>& captures, Kind kind,
                                        const std::function<void(double)>& progress,
                                        std::size_t most_packets) {
  auto source = open_captures(captures);
  if (!source) return std::unexpected(source.error());
  CaptureTrial trial;
  trial.kind_ = kind;
  trial.cut_short_ = !read_summaries(**source, only(kind), reading_seed,
                                     [&](std::span<const Summary> batch, std::size_t packets) {
                                       trial.packets_ += packets;
                                       trial.keep(batch);
                                       progress((*source)->progress());
                                       return trial.summaries_.size() < most_packets;
                                     });
  trial.warnings_ = all_warnings(**source);
  std::unordered_set<std::uint64_t> flows;
  for (const Summary& summary : trial.summaries_) flows.insert(summary.flow);
  trial.flows_ = flows.size();
  trial.prepare({});
  trial.find_truth();
  return trial;
}

/// The rules run again for each bound on connections, when the capture is closed: what they read of
/// a packet is copied.
void CaptureTrial::keep(std::span<const Summary> batch) {
  std::size_t total = 0;
  for (const Summary& summary : batch) total += bytes_for_rules(summary);
  std::vector<std::byte>& bytes = bytes_.emplace_back();
  bytes.reserve(total);  // so that it does not move
  for (const Summary& summary : batch) {
    Summary& kept = summaries_.emplace_back(summary);
    kept.ip = bytes.data() + bytes.size();
    kept.ip_captured = bytes_for_rules(summary);
    bytes.insert(bytes.end(), summary.ip, summary.ip + kept.ip_captured);
  }
}

std::vector<PairEvent> CaptureTrial::events_for(std::size_t most_connections) const {
  Pairing pairing{HashKey::from_seed(reading_seed),
                  {.kinds = only(kind_),
                   .most_connections = most_connections,
                   .most_quic_connections = most_connections}};
  std::vector<PairEvent> events;
  for (std::size_t start = 0; start < summaries_.size(); start += batch_size) {
    const std::size_t count = std::min(batch_size, summaries_.size() - start);
    const auto found = pairing.events({summaries_.data() + start, count});
    events.insert(events.end(), found.begin(), found.end());
  }
  return events;
}

/// A bound that is never reached has no effect.
std::size_t CaptureTrial::connections_of(const TableChoice& choice) const {
  const std::size_t most =
      kind_ == Kind::quic ? most_quic_connections(choice) : most_connections(choice);
  return most >= flows_ ? unlimited_connections : most;
}

void CaptureTrial::prepare(const TableChoice& choice) {
  const std::size_t connections = connections_of(choice);
  if (!events_.contains(connections)) events_.emplace(connections, events_for(connections));
}

/// As Measurement::pooled: if both legs are also measured together, that is the figure.
bool CaptureTrial::is_headline(Leg leg) const { return !headline_is_sum(kind_) || leg == Leg::sum; }

template <class Table>
std::vector<CaptureTrial::Found> CaptureTrial::samples_of(Table& table,
                                                          std::span<const PairEvent> events,
                                                          std::uint64_t seed) const {
  const HashKey key = HashKey::from_seed(seed);
  std::array<PairEvent, batch_size> batch;
  BatchOutcome outcome;
  std::vector<Found> found;
  while (!events.empty()) {
    const std::size_t count = std::min(batch_size, events.size());
    for (std::size_t i = 0; i < count; ++i) {
      batch[i] = events[i];
      batch[i].key = keyed_hash(key, events[i].key, seed);
    }
    apply_batch(table, std::span<const PairEvent>{batch.data(), count}, outcome);
    for (const EventMatch& match : outcome.matches())
      if (!match.match.ambiguous)
        found.push_back(
            {match.match.delay.count(), match.match.weight, match.event->leg, match.match.fridge});
    events = events.subspan(count);
  }
  return found;
}

void CaptureTrial::find_truth() {
  const auto& events = events_.at(unlimited_connections);
  requests_ = static_cast<std::uint64_t>(
      std::ranges::count_if(events, [](const PairEvent& event) { return event.is_request; }));
  ExactTable table{ExactTable::Options{}};
  const auto found = samples_of(table, events, reading_seed);
  exact_memory_ = table.memory_bytes();
  Distribution distribution{Keep::every_sample};
  for (const Found& sample : found)
    if (is_headline(sample.leg)) distribution.add(Duration{sample.delay_ns});
  pairs_ = distribution.count();
  if (distribution.empty()) return;
  const auto quantiles = distribution.quantiles(percentiles());
  std::copy_n(quantiles.begin(), truth_.size(), truth_.begin());
  truth_p999_ = quantiles.back();
  longest_ = *distribution.max();
}

std::vector<TrialOutcome> CaptureTrial::run_all(std::span<const TableChoice> choices,
                                                std::uint64_t first_seed, std::size_t seeds,
                                                const std::function<void(double)>& progress) const {
  std::vector<TrialOutcome> outcomes(choices.size() * seeds);
  run_jobs(
      outcomes.size(), std::thread::hardware_concurrency(),
      [&](std::size_t job) { outcomes[job] = run(choices[job / seeds], first_seed + job % seeds); },
      progress);
  return outcomes;
}

TrialOutcome CaptureTrial::run(const TableChoice& choice, std::uint64_t seed) const {
  return with_table(choice, [&](auto table) {
    auto found = samples_of(table, events_.at(connections_of(choice)), seed);
    if constexpr (std::is_same_v<decltype(table), FridgesIvwTable>) {
      for (std::size_t leg = 0; leg < leg_count; ++leg) {
        std::vector<FridgeSample> together;
        for (const Found& sample : found)
          if (index_of(sample.leg) == leg)
            together.push_back({sample.delay_ns, sample.weight, sample.fridge});
        weigh_by_inverse_variance(together);
        std::size_t next = 0;
        for (Found& sample : found)
          if (index_of(sample.leg) == leg) sample.weight = together[next++].weight;
      }
    }
    Distribution distribution{Keep::histogram};
    for (const Found& sample : found)
      if (is_headline(sample.leg)) distribution.add(Duration{sample.delay_ns}, sample.weight);
    TrialOutcome outcome;
    outcome.samples = static_cast<double>(distribution.count());
    outcome.memory_bytes = table.memory_bytes();
    outcome.total = pairs_ > 0 ? distribution.total_weight() / static_cast<double>(pairs_) : 0;
    outcome.ratio.fill(nothing_found);
    if (distribution.empty()) return outcome;
    const auto quantiles = distribution.quantiles(percentiles());
    for (std::size_t i = 0; i < truth_.size(); ++i)
      outcome.ratio[i] = ratio_of(quantiles[i], truth_[i]);
    outcome.p999_ratio = ratio_of(quantiles.back(), truth_p999_);
    return outcome;
  });
}

std::vector<TableKind> fixed_memory_tables() {
  std::vector<TableKind> tables;
  for (const std::string_view name : table_names())
    if (const auto kind = table_named(name); kind != TableKind::exact) tables.push_back(*kind);
  return tables;
}

}  // namespace sojourn
