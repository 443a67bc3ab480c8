#include "experiments/capture/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace sojourn {
namespace {

/// The next 1, 2 or 5 times a power of ten, from 1 us on: a limit as a person would write it.
Duration round_up(Duration delay) {
  for (std::int64_t decade = 1'000; decade < 1'000'000'000'000; decade *= 10)
    for (const std::int64_t step : {1, 2, 5})
      if (step * decade >= delay.count()) return Duration{step * decade};
  return delay;
}

constexpr std::size_t fresh_draws = 4;  // seeds to confirm by, for each seed tried

/// In the syntax of `parse_duration`: whole, with a suitable unit.
std::string written(Duration duration) {
  const std::int64_t ns = duration.count();
  if (ns % 1'000'000'000 == 0) return fmt::format("{}s", ns / 1'000'000'000);
  if (ns % 1'000'000 == 0) return fmt::format("{}ms", ns / 1'000'000);
  return ns % 1'000 == 0 ? fmt::format("{}us", ns / 1'000) : fmt::format("{}ns", ns);
}

std::string written(std::uint64_t bytes) {
  if (bytes % (1u << 20) == 0) return fmt::format("{}MiB", bytes >> 20);
  return bytes % 1024 == 0 ? fmt::format("{}KiB", bytes >> 10) : fmt::format("{}", bytes);
}

std::vector<TableWishes> candidates(const CaptureTrial& trial, std::uint64_t memory) {
  std::vector<Duration> limits = {round_up(trial.truth_p999()), round_up(trial.longest())};
  if (limits[0] == limits[1]) limits.pop_back();
  std::vector<TableWishes> wishes;
  for (const TableKind kind : fixed_memory_tables()) {
    if (kind == TableKind::fridges_ivw) continue;
    wishes.push_back({.kind = kind, .memory_bytes = memory});
    for (const Duration limit : limits) {
      TableWishes fitted{.kind = kind, .memory_bytes = memory};
      if (limit >= fitted.patience.expire) continue;  // that is the usual limit
      if (kind == TableKind::staged)
        fitted.patience.expire = fitted.patience.expire_long_lived = limit;
      else
        fitted.longest = limit;
      wishes.push_back(fitted);
    }
  }
  return wishes;
}

double median_strain(const AccuracyTarget& target, std::span<const TrialOutcome> outcomes) {
  return median_over(outcomes, [&](const TrialOutcome& outcome) { return target.strain(outcome); });
}

}  // namespace

Tuning tune(CaptureTrial& trial, const TuneOptions& options,
            const std::function<void(double)>& progress) {
  Tuning tuning;
  const double steps = std::log2(static_cast<double>(options.most_memory) /
                                 static_cast<double>(options.least_memory)) +
                       1;
  double step = 0;
  for (std::uint64_t memory = options.least_memory; memory <= options.most_memory;
       memory *= 2, ++step) {
    std::vector<TunedTable> tables;
    std::vector<TableChoice> choices;
    for (const TableWishes& wishes : candidates(trial, memory)) {
      const auto choice = choose_table(wishes);
      if (!choice) continue;
      trial.prepare(*choice);
      choices.push_back(*choice);
      tables.push_back({.wishes = wishes, .memory_bytes = memory});
    }
    const auto outcomes = trial.run_all(choices, options.first_seed, options.seeds,
                                        [&](double done) { progress((step + done) / steps); });
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::span seeds{outcomes.data() + i * options.seeds, options.seeds};
      tables[i].strain = median_strain(options.target, seeds);
      tables[i].seeds_met = static_cast<unsigned>(std::ranges::count_if(
          seeds, [&](const TrialOutcome& outcome) { return options.target.strain(outcome) <= 1; }));
    }
    std::vector<std::size_t> order(tables.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{tables[i].strain, i}; });
    for (const std::size_t i : order) {
      if (tables[i].strain > 1) break;
      if (tables[i].wishes.kind == TableKind::staged) continue;  // see tune.h
      const auto fresh = trial.run_all({&choices[i], 1}, options.first_seed + 1'000'000,
                                       fresh_draws * options.seeds);
      tables[i].confirmed = median_strain(options.target, fresh);
      const auto met_again = static_cast<unsigned>(std::ranges::count_if(
          fresh, [&](const TrialOutcome& outcome) { return options.target.strain(outcome) <= 1; }));
      if (tables[i].confirmed > 1 || 3 * met_again < 2 * fresh.size()) continue;
      tuning.best = tables[i];
      break;
    }
    for (const TableKind kind : fixed_memory_tables()) {  // the best of each, for the record
      const auto found =
          std::ranges::find_if(order, [&](std::size_t i) { return tables[i].wishes.kind == kind; });
      if (found != order.end()) tuning.tried.push_back(tables[*found]);
    }
    if (tuning.best) break;
  }
  return tuning;
}

std::string arguments_of(const TunedTable& table) {
  std::string text = fmt::format("--table {} --memory {}", name_of(*table.wishes.kind),
                                 written(table.memory_bytes));
  if (table.wishes.longest) text += " --longest " + written(*table.wishes.longest);
  if (table.wishes.patience.expire != Patience{}.expire)
    text += " --expire " + written(table.wishes.patience.expire);
  return text;
}

}  // namespace sojourn
