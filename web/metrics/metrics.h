#pragma once
// Metrics for a scraper: sums since the process began, of everything that was stored.

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/address.h"
#include "store/store.h"
#include "web/metrics/metric_family.h"

namespace sojourn::web {

struct MetricsOptions {
  std::string version;
  std::size_t most_subjects = 200;  ///< with a kind and leg; the rest is subject "other"
  std::size_t most_prefixes = 50;   ///< shown at a time; the rest is prefix "other"
  std::size_t most_watched = 20'000;
  std::size_t most_points = 1'000;
};

/// Written with each write to the store, by one thread; read by another.
///
/// Which prefixes are shown depends on their weight: one replaces the lightest when it has twice
/// its recent weight (a weight halves every hour).  A prefix that is shown again begins at 0, which
/// is a counter reset; "other" only grows.
class Metrics {
 public:
  explicit Metrics(const MetricsOptions& options) : options_(options) {}

  void add(const StoreWrite& write);
  /// The format that the Accept header prefers; `more` is appended to our own.
  struct Page {
    std::string content_type, body;
  };
  Page page(std::string_view accept, const std::vector<MetricFamily>& more) const;

 private:
  struct SeriesKey {
    std::string subject;
    std::uint8_t measure = 0, leg = 0;
    friend auto operator<=>(const SeriesKey&, const SeriesKey&) = default;
  };
  struct PrefixKey {
    SeriesKey series;
    std::string prefix;
    friend auto operator<=>(const PrefixKey&, const PrefixKey&) = default;
  };
  struct LossTotals {
    std::array<double, 3> packets{};  ///< by LossBin
  };
  struct PointTotals {
    std::map<std::uint64_t, PointLedger> instances;
  };

  void add_delays(const SeriesKey& key, const CellSeries& series, const CellBlock& block);
  void promote(Timestamp now);
  std::vector<MetricFamily> families() const;
  MetricFamily ledger_family(bool waiting) const;
  Labels labels_of(const SeriesKey& key) const;

  mutable std::mutex mutex_;
  MetricsOptions options_;
  std::map<SeriesKey, DelaySums> totals_;
  std::map<PrefixKey, DelaySums> shown_;
  std::map<SeriesKey, DelaySums> others_;
  std::map<PrefixKey, double> watched_;  ///< recent weight, shown or not
  std::map<std::string, LossTotals> losses_;
  std::map<std::string, PointTotals> points_;
  Timestamp written_{}, decayed_{};
};

}  // namespace sojourn::web
