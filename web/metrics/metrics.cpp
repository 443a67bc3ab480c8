#include "web/metrics/metrics.h"

#include <algorithm>
#include <cmath>

#include "core/printable.h"
#include "naming/stored_group.h"

namespace sojourn::web {
namespace {

constexpr const char* other = "other";

/// Longer than the names of two points, so that different labels stay different.
constexpr std::size_t longest_label = 10'000;

/// Accounts that go up and down.
constexpr bool is_waiting(Account account) {
  return account == Account::packets_in_cache || account == Account::packets_spooled ||
         account == Account::records_spooled || account == Account::waiting;
}

std::string kind_text(std::uint8_t measure) {
  return measure < kind_count ? std::string{kind_names[measure]} : "oneway";
}

double seconds(Timestamp time) { return static_cast<double>(to_ns(time)) / 1e9; }

}  // namespace

void Metrics::add(const StoreWrite& write) {
  const std::lock_guard lock{mutex_};
  written_ = write.now;
  for (const auto& [series, block] : write.blocks) {
    const std::string& subject = write.subjects[series.subject];
    if (series.measure == number_of(Measure::loss)) {
      auto& packets =
          losses_[losses_.contains(subject) || losses_.size() < options_.most_subjects ? subject
                                                                                       : other]
              .packets;
      for (const HistogramCell& cell : block.cells)
        if (cell.bin >= 0 && cell.bin < 3)
          packets[static_cast<std::size_t>(cell.bin)] += cell.weight;
      continue;
    }
    SeriesKey key{subject, series.measure, series.leg};
    if (!totals_.contains(key) && totals_.size() >= options_.most_subjects) key.subject = other;
    add_delays(key, series, block);
  }
  for (const PointLedger& ledger : write.ledgers) {
    if (!points_.contains(ledger.point) && points_.size() >= options_.most_points) continue;
    points_[ledger.point].instances[ledger.instance] = ledger;
  }
  promote(write.now);
}

void Metrics::add_delays(const SeriesKey& key, const CellSeries& series, const CellBlock& block) {
  const bool oneway = series.measure == number_of(Measure::oneway);
  DelaySums* sums = &others_[key];
  if (series.prefix_length > 0) {
    PrefixKey prefix{key, group_name({series.prefix, series.prefix_length})};
    if (watched_.contains(prefix) || watched_.size() < options_.most_watched) {
      double& weight = watched_[prefix];
      for (const HistogramCell& cell : block.cells) weight += cell.weight;
    }
    if (const auto found = shown_.find(prefix); found != shown_.end()) sums = &found->second;
  }
  DelaySums& total = totals_[key];
  total.negative = sums->negative = oneway;
  for (const HistogramCell& cell : block.cells) {
    total.add(cell.bin, cell.weight);
    sums->add(cell.bin, cell.weight);
  }
}

/// Decides which prefixes are shown from the next write on.
void Metrics::promote(Timestamp now) {
  const double hours = std::chrono::duration<double, std::ratio<3600>>(now - decayed_).count();
  if (hours > 0 && decayed_ != Timestamp{})
    for (auto& [key, weight] : watched_) weight *= std::exp2(-hours);
  decayed_ = now;
  std::erase_if(watched_, [&](const auto& watched) {
    return watched.second < 0.01 && !shown_.contains(watched.first);
  });
  std::vector<std::pair<double, const PrefixKey*>> waiting;
  for (const auto& [key, weight] : watched_)
    if (!shown_.contains(key)) waiting.emplace_back(weight, &key);
  std::ranges::sort(waiting, std::greater<>{}, [](const auto& entry) { return entry.first; });
  const auto recent = [&](const auto& entry) {
    const auto found = watched_.find(entry.first);
    return found == watched_.end() ? 0 : found->second;
  };
  for (const auto& [weight, key] : waiting) {
    if (shown_.size() >= options_.most_prefixes) {
      const auto lightest = std::ranges::min_element(shown_, {}, recent);
      if (lightest == shown_.end() || weight < 2 * recent(*lightest)) break;
      shown_.erase(lightest);
    }
    shown_[*key].negative = key->series.measure == number_of(Measure::oneway);
  }
}

Labels Metrics::labels_of(const SeriesKey& key) const {
  Labels labels = {{"subject", key.subject}, {"kind", kind_text(key.measure)}};
  if (key.measure < kind_count) labels.emplace_back("leg", leg_names[key.leg]);
  return labels;
}

MetricFamily Metrics::ledger_family(bool waiting) const {
  MetricFamily family{waiting ? "sojourn_ledger_waiting" : "sojourn_ledger_total",
                      waiting ? "Packets and records of a point that wait, by account."
                              : "What became of packets and records of a point, by account.",
                      waiting ? MetricType::gauge : MetricType::counter,
                      {}};
  for (const auto& [point, totals] : points_)
    for (std::size_t i = 0; i < account_names.size(); ++i) {
      const auto account = static_cast<Account>(i);
      if (is_waiting(account) != waiting) continue;
      double sum = 0;
      for (const auto& [instance, ledger] : totals.instances)
        sum += static_cast<double>(ledger[account]);
      family.metrics.push_back(
          {{{"point", point}, {"account", std::string{account_names[i]}}}, sum});
    }
  return family;
}

std::vector<MetricFamily> Metrics::families() const {
  std::vector<MetricFamily> all;
  all.push_back({"sojourn_build_info",
                 "Which program this is.",
                 MetricType::gauge,
                 {{{{"version", options_.version}}, 1.0}}});
  all.push_back({"sojourn_store_written_timestamp_seconds",
                 "When the store was last written to.",
                 MetricType::gauge,
                 {{{}, seconds(written_)}}});
  MetricFamily totals{"sojourn_delay_seconds",
                      "Delays since the process began, weighted.",
                      MetricType::histogram,
                      {}};
  for (const auto& [key, sums] : totals_) totals.metrics.push_back({labels_of(key), &sums});
  MetricFamily prefixes{"sojourn_prefix_delay_seconds",
                        "The same for the prefixes with the most samples; the rest is \"other\".",
                        MetricType::histogram,
                        {}};
  const auto add = [&](const SeriesKey& key, const std::string& prefix, const DelaySums& sums) {
    Labels labels = labels_of(key);
    labels.emplace_back("prefix", prefix);
    prefixes.metrics.push_back({std::move(labels), &sums});
  };
  for (const auto& [key, sums] : shown_) add(key.series, key.prefix, sums);
  for (const auto& [key, sums] : others_) add(key, other, sums);
  all.push_back(std::move(totals));
  all.push_back(std::move(prefixes));
  constexpr std::array<const char*, 3> names = {"sojourn_packets_sent_total",
                                                "sojourn_packets_arrived_total",
                                                "sojourn_packets_unseen_total"};
  constexpr std::array<const char*, 3> help = {
      "Selected packets at the first point of a segment.", "Of these, at its last point.",
      "Of flows that the last point never saw: lost, or gone another way."};
  for (std::size_t i = 0; i < names.size(); ++i) {
    MetricFamily family{names[i], help[i], MetricType::counter, {}};
    for (const auto& [subject, losses] : losses_)
      family.metrics.push_back({{{"subject", subject}}, losses.packets[i]});
    all.push_back(std::move(family));
  }
  all.push_back(ledger_family(false));
  all.push_back(ledger_family(true));
  MetricFamily heard{"sojourn_point_last_heard_timestamp_seconds",
                     "When a point last reported.",
                     MetricType::gauge,
                     {}};
  MetricFamily silent{"sojourn_marking_point_silent",
                      "1 if a point of marks or references fell silent without a goodbye, else 0.",
                      MetricType::gauge,
                      {}};
  for (const auto& [point, totals_of] : points_) {
    Timestamp last{}, marked{};
    MarkingState state = MarkingState::none;
    for (const auto& [instance, ledger] : totals_of.instances) {
      last = std::max(last, ledger.last_heard);
      if (ledger.marking == MarkingState::none || ledger.last_heard < marked) continue;
      marked = ledger.last_heard;
      state = ledger.marking;
    }
    heard.metrics.push_back({{{"point", point}}, seconds(last)});
    if (state != MarkingState::none)
      silent.metrics.push_back({{{"point", point}}, state == MarkingState::silent ? 1.0 : 0.0});
  }
  all.push_back(std::move(heard));
  all.push_back(std::move(silent));
  return all;
}

Metrics::Page Metrics::page(std::string_view accept, const std::vector<MetricFamily>& more) const {
  const std::lock_guard lock{mutex_};
  auto all = families();
  all.insert(all.end(), more.begin(), more.end());
  // Prometheus refuses a whole page for one label that is not UTF-8.
  for (MetricFamily& family : all)
    for (Metric& metric : family.metrics)
      for (auto& [name, value] : metric.labels) value = printable(value, longest_label);
  if (wants_protobuf(accept)) return {std::string{protobuf_content_type}, protobuf_bytes(all)};
  return {std::string{classic_content_type}, classic_text(all)};
}

}  // namespace sojourn::web
