#include "web/api/heatmap.h"

#include <algorithm>
#include <array>
#include <map>

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

/// Each is a multiple of the slice of every tier that is not longer.
constexpr std::array<Duration, 19> steps = {
    10s, 20s, 30s, 1min, 2min, 5min,    10min,    20min,    30min,   1h,
    2h,  3h,  6h,  12h,  24h,  24h * 7, 24h * 14, 24h * 28, 24h * 84};

struct Column {
  Distribution delays;
  std::map<std::int32_t, double> rows;
};

struct Reading {
  std::map<std::uint8_t, std::vector<Column>> legs;
  std::vector<LossSums> losses;
  Duration longest{};  ///< slice that was used
};

Stretch aligned(const Stretch& stretch, Duration step) {
  Timestamp to = slice_of(stretch.to, step);
  if (to < stretch.to) to += step;
  return {slice_of(stretch.from, step), to};
}

Result<Reading> read_columns(Store& store, const Selector& selector, const Stretch& stretch,
                             Duration step, Timestamp judged_until) {
  const auto count = static_cast<std::size_t>((stretch.to - stretch.from) / step);
  Reading reading;
  const auto column_of = [&](const CellSeries& series) {
    const auto at = (series.slice - stretch.from) / step;
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(at, 0, static_cast<std::int64_t>(count) - 1));
  };
  auto done = store.read({selector.subject, selector.measure, stretch.from, stretch.to, step},
                         [&](const CellSeries& series, Duration length, const CellBlock& block) {
                           reading.longest = std::max(reading.longest, length);
                           if (!selector.takes(series)) return;
                           auto& columns = reading.legs[series.leg];
                           columns.resize(count);
                           Column& column = columns[column_of(series)];
                           block.add_to(column.delays);
                           for (const HistogramCell& cell : block.cells)
                             column.rows[HeatmapRows::of(cell.bin)] += cell.weight;
                         });
  const Timestamp known = std::min(stretch.to, judged_until);
  if (done && selector.measure == number_of(Measure::oneway) && known > stretch.from) {
    reading.losses.resize(count);
    done = store.read({selector.subject, number_of(Measure::loss), stretch.from, known, step},
                      [&](const CellSeries& series, Duration, const CellBlock& block) {
                        if (selector.takes(series)) reading.losses[column_of(series)].add(block);
                      });
  }
  if (!done) return std::unexpected(done.error());
  return reading;
}

Heatmap picture_of(const Stretch& stretch, Duration step, const Selector& selector,
                   const Reading& reading) {
  Heatmap map{stretch.from, stretch.to, step, selector.leg, {}, {}};
  map.columns.resize(static_cast<std::size_t>((stretch.to - stretch.from) / step));
  for (std::size_t i = 0; i < reading.losses.size(); ++i)
    map.columns[i].loss = loss_estimate(reading.losses[i]);
  const auto heaviest = std::ranges::max_element(reading.legs, {}, [](const auto& leg) {
    double weight = 0;
    for (const Column& column : leg.second) weight += column.delays.total_weight();
    return weight;
  });
  if (heaviest == reading.legs.end()) return map;
  map.leg = heaviest->first;
  constexpr std::array quantiles = {0.5, 0.95};
  for (std::size_t i = 0; i < heaviest->second.size(); ++i) {
    const Column& column = heaviest->second[i];
    map.columns[i].weight = column.delays.total_weight();
    if (column.delays.empty()) continue;
    map.columns[i].effective_samples = column.delays.effective_samples();
    map.columns[i].quantiles = column.delays.estimates(quantiles);
    for (const auto& [row, weight] : column.rows)
      map.cells.push_back({static_cast<std::uint32_t>(i), row, weight});
  }
  return map;
}

}  // namespace

Duration step_for(Duration length, std::size_t columns) {
  for (const Duration step : steps)
    // One more, because the ends need not be multiples of the step.
    if (length / step + 1 <= static_cast<std::int64_t>(columns)) return step;
  return steps.back();
}

Result<Heatmap> heatmap(Store& store, const Selector& selector, const Stretch& stretch,
                        std::size_t most_columns, Timestamp judged_until) {
  return heatmap(store, selector, stretch, step_for(stretch.to - stretch.from, most_columns),
                 judged_until);
}

Result<Heatmap> heatmap(Store& store, const Selector& selector, const Stretch& stretch,
                        Duration step, Timestamp judged_until) {
  while (true) {
    const Stretch whole = aligned(stretch, step);
    const auto reading = read_columns(store, selector, whole, step, judged_until);
    if (!reading) return std::unexpected(reading.error());
    if (reading->longest <= step) return picture_of(whole, step, selector, *reading);
    step = reading->longest;
  }
}

}  // namespace sojourn::web
