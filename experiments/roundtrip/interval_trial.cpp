#include "experiments/roundtrip/interval_trial.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "core/hash.h"
#include "core/run_jobs.h"
#include "estimate/distribution/distribution.h"
#include "estimate/distribution/inverse_variance.h"
#include "estimate/distribution/shift.h"
#include "roundtrip/pair_event.h"
#include "roundtrip/table_batch.h"

namespace sojourn {
namespace {

constexpr std::size_t count = IntervalTrial::quantiles.size();

/// What a table finds, added up as in the pipeline.
template <PairTable Table>
Distribution measure(const std::vector<FlowEvent>& events, Table table, TableKind kind,
                     std::uint64_t seed) {
  constexpr std::size_t batch_size = 128;
  const HashKey keys = HashKey::from_seed(seed);
  std::array<PairEvent, batch_size> batch;
  BatchOutcome outcome;
  std::vector<FridgeSample> samples;
  std::vector<std::uint32_t> flows;
  for (std::size_t start = 0; start < events.size(); start += batch_size) {
    const std::size_t size = std::min(batch_size, events.size() - start);
    for (std::size_t i = 0; i < size; ++i) {
      const FlowEvent& event = events[start + i];
      batch[i] = {keyed_hash(keys, event.id, 0x5eed),
                  timestamp_from_ns(event.ns),
                  0,
                  {},
                  Kind::tcp,
                  Leg::server,
                  event.is_request,
                  0};
    }
    apply_batch(table, std::span{batch.data(), size}, outcome);
    for (const EventMatch& found : outcome.matches()) {
      samples.push_back({found.match.delay.count(), found.match.weight, found.match.fridge});
      const auto place = static_cast<std::size_t>(found.event - batch.data());
      flows.push_back(events[start + place].flow);
    }
  }
  if (kind == TableKind::fridges_ivw) weigh_by_inverse_variance(samples);
  Distribution delays{kind == TableKind::exact ? Keep::every_sample : Keep::histogram};
  for (std::size_t i = 0; i < samples.size(); ++i)
    delays.add(Duration{samples[i].delay_ns}, samples[i].weight, FlowTag::numbered(flows[i] + 1));
  return delays;
}

struct Run {
  std::array<QuantileEstimate, count> estimates;
  DelaySnapshot delays;
  double total = 0;
  double samples = 0;
};

Run run_once(const std::vector<FlowEvent>& events, const IntervalTable& table, std::uint64_t seed) {
  const TableChoice choice =
      choose_table({.kind = table.kind, .memory_bytes = table.memory_bytes}).value();
  const Distribution delays = with_table(
      choice, [&](auto chosen) { return measure(events, std::move(chosen), choice.kind, seed); });
  Run run;
  const auto answers = std::ranges::count(events, false, &FlowEvent::is_request);
  run.total = delays.total_weight() / static_cast<double>(answers);
  run.samples = static_cast<double>(delays.count());
  if (delays.empty()) return run;
  std::ranges::copy(delays.estimates(IntervalTrial::quantiles), run.estimates.begin());
  run.delays = delays.snapshot(IntervalTrial::quantiles);
  return run;
}

bool holds(const Interval& interval, double truth_ns) {
  const auto at = [](Duration delay) { return static_cast<double>(delay.count()); };
  return (!interval.bounded_below || at(interval.low) <= truth_ns) &&
         (!interval.bounded_above || truth_ns <= at(interval.high));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

void compare(const DelaySnapshot& before, const DelaySnapshot& after, IntervalTrial& trial) {
  if (before.buckets.empty() || after.buckets.empty()) return;
  if (!enough_to_compare(before) || !enough_to_compare(after)) return;
  ++trial.compared;
  const ShiftTest test = test_shift(before, after, 0);
  for (std::size_t i = 0; i < count; ++i)
    trial.alarms[i] += verdict_of(test, IntervalTrial::alarm_rates[i]) != ShiftVerdict::same;
}

/// The sums of some runs of one table.
struct Tally {
  IntervalTrial sums;  ///< sums over the runs instead of shares and means
  double total_squares = 0;
  std::array<std::vector<double>, count> widths;
};

/// Each run is compared with the next, the last with the first.
void add_runs(const std::vector<Run>& runs, const std::array<double, count>& truth_ns,
              Tally& tally) {
  IntervalTrial& sums = tally.sums;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Run& run = runs[r];
    ++sums.runs;
    sums.total += run.total;
    tally.total_squares += run.total * run.total;
    sums.samples += run.samples;
    for (std::size_t i = 0; i < count; ++i) {
      const Interval& interval = run.estimates[i].interval;
      sums.held[i] += holds(interval, truth_ns[i]);
      if (!interval.bounded()) continue;
      sums.bounded[i] += 1;
      sums.held_bounded[i] += holds(interval, truth_ns[i]);
      tally.widths[i].push_back(static_cast<double>((interval.high - interval.low).count()) /
                                truth_ns[i]);
    }
    compare(run.delays, runs[(r + 1) % runs.size()].delays, sums);
  }
}

IntervalTrial join(const std::vector<Tally>& tallies) {
  IntervalTrial trial;
  double squares = 0;
  std::array<std::vector<double>, count> widths;
  for (const Tally& tally : tallies) {
    trial.runs += tally.sums.runs;
    trial.total += tally.sums.total;
    trial.samples += tally.sums.samples;
    trial.compared += tally.sums.compared;
    squares += tally.total_squares;
    for (std::size_t i = 0; i < count; ++i) {
      trial.held[i] += tally.sums.held[i];
      trial.bounded[i] += tally.sums.bounded[i];
      trial.held_bounded[i] += tally.sums.held_bounded[i];
      trial.alarms[i] += tally.sums.alarms[i];
      widths[i].insert(widths[i].end(), tally.widths[i].begin(), tally.widths[i].end());
    }
  }
  const auto runs = static_cast<double>(trial.runs);
  trial.total /= runs;
  trial.samples /= runs;
  trial.total_error = std::sqrt(std::max(0.0, squares / runs - trial.total * trial.total) / runs);
  for (std::size_t i = 0; i < count; ++i) {
    trial.held[i] /= runs;
    if (trial.bounded[i] > 0) trial.held_bounded[i] /= trial.bounded[i];
    trial.bounded[i] /= runs;
    trial.width[i] = median(std::move(widths[i]));
  }
  return trial;
}

}  // namespace

std::vector<IntervalTrial> try_intervals(const IntervalTraffic& traffic,
                                         const std::vector<IntervalTable>& tables, std::size_t runs,
                                         std::uint64_t seed,
                                         const std::function<void(double)>& progress) {
  std::array<double, count> truth_ns;
  for (std::size_t i = 0; i < count; ++i)
    truth_ns[i] = traffic.quantile_ns(IntervalTrial::quantiles[i]);
  constexpr std::size_t runs_a_job = 10;  // snapshots are large: few are kept at a time
  const std::size_t jobs = (runs + runs_a_job - 1) / runs_a_job;
  std::vector<std::vector<Tally>> tallies(tables.size(), std::vector<Tally>(jobs));
  run_jobs(
      jobs, std::thread::hardware_concurrency(),
      [&](std::size_t job) {
        std::vector<std::vector<Run>> of_tables(tables.size());
        for (std::size_t run = job * runs_a_job; run < std::min(runs, (job + 1) * runs_a_job);
             ++run) {
          std::uint64_t state = seed * 0x9e3779b97f4a7c15u + run;
          const std::uint64_t own = split_mix(state);
          IntervalTraffic now = traffic;
          if (run % 2 == 1) now.spread *= traffic.alternate;
          const auto events = now.events(own);
          for (std::size_t t = 0; t < tables.size(); ++t)
            of_tables[t].push_back(run_once(events, tables[t], own ^ 0x7461'626c'65));
        }
        for (std::size_t t = 0; t < tables.size(); ++t)
          add_runs(of_tables[t], truth_ns, tallies[t][job]);
      },
      progress);
  std::vector<IntervalTrial> trials;
  for (const auto& of_table : tallies) trials.push_back(join(of_table));
  return trials;
}

}  // namespace sojourn
