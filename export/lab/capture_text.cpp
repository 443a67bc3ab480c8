#include "export/lab/capture_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "export/lab/lab_text.h"

namespace sojourn {

std::string trial_text(const CaptureTrial& trial) {
  std::string text = fmt::format(
      "{} packets, {} requests and {} pairs of kind {}; p50 {}, p95 {}, p99 {}\n",
      format_count(trial.packets()), format_count(trial.requests()), format_count(trial.pairs()),
      name_of(trial.kind()), format_duration(trial.truth(50)), format_duration(trial.truth(95)),
      format_duration(trial.truth(99)));
  if (trial.cut_short()) text += "only the first of it: the rest does not fit into memory\n";
  if (trial.pairs() < 1000)
    text += fmt::format("few pairs: the 99th percentile rests on the slowest {} of them\n",
                        std::max<std::uint64_t>(1, trial.pairs() / 100));
  return text;
}

std::string comparison_text(const LabReport& report, const CaptureTrial& trial,
                            std::span<const std::string> files) {
  return trial_text(trial) + table_text(report.tables.front()) + '\n' + files_written(files);
}

std::string tuning_text(const Tuning& tuning, const CaptureTrial& trial, const TuneOptions& options,
                        const std::string& capture) {
  ResultTable table{
      .name = "tried",
      .title = fmt::format(
          "error as a share of what '{}' allows, median over {} seeds; the best of each table",
          options.target.text(), options.seeds),
      .columns = {"memory", "table", "error / allowed", "seeds that meet it", "parameters"},
      .rows = {}};
  for (const TunedTable& tried : tuning.tried)
    table.rows.push_back({Cell::number(tried.memory_bytes, format_size(tried.memory_bytes)),
                          name_of(*tried.wishes.kind), Cell::decimals(tried.strain, 2),
                          fmt::format("{} of {}", tried.seeds_met, options.seeds),
                          arguments_of(tried)});
  std::string text = trial_text(trial) + table_text(table) + "\n";
  if (!tuning.best)
    return text + fmt::format(
                      "No table met it in up to {}. Remembering every request is exact and took "
                      "{}:\n\n  sojourn rtt {} --kind {}\n",
                      format_size(options.most_memory), format_size(trial.exact_memory()), capture,
                      name_of(trial.kind()));
  return text +
         fmt::format(
             "{} in {} met it: the median error was {:.2f} of what is allowed, and {:.2f} on fresh "
             "seeds\n(remembering every request took {}). Measure with\n\n  sojourn rtt {} --kind "
             "{} {}\n",
             name_of(*tuning.best->wishes.kind), format_size(tuning.best->memory_bytes),
             tuning.best->strain, tuning.best->confirmed, format_size(trial.exact_memory()),
             capture, name_of(trial.kind()), arguments_of(*tuning.best));
}

}  // namespace sojourn
