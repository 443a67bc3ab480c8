// `sojourn rtt`: round-trip delays, from opening the input to the exit status.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/commands.h"
#include "apps/rtt_engine.h"
#include "apps/rtt_expect.h"
#include "apps/rtt_outputs.h"
#include "apps/rtt_request.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/first_time.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "capture/ranged_source.h"
#include "capture/source_warnings.h"
#include "console/interrupt.h"
#include "console/live_view.h"
#include "console/output.h"
#include "console/progress.h"
#include "console/terminal.h"
#include "core/units.h"
#include "export/rtt/json_report.h"
#include "export/rtt/rtt_report.h"
#include "export/rtt/text_report.h"
#include "export/sample_csv.h"
#include "export/text_cells.h"
#include "pipeline/rtt_pipeline.h"
#include "pipeline/skipped_packets.h"
#include "places/maxmind.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

Result<std::unique_ptr<Source>> open_input(const RttRequest& request) {
  std::shared_ptr<NameTable> names;
  if (groups_by_interface(request.options))
    names = request.options.measurement.grouping->shared_ways();
  auto source = request.interfaces.empty()
                    ? open_captures(request.captures, names)
                    : open_interfaces({.interfaces = request.interfaces, .names = names});
  if (!source) return source;
  if (request.range.from || request.range.to)
    source = std::make_unique<RangedSource>(std::move(*source), request.range);
  if (request.filter.empty()) return source;
  return FilteredSource::open(std::move(*source), request.filter);
}

/// What --split means in these captures, whose first packet has to be looked at for that.
Result<Timestamp> resolve_split(const RttRequest& request) {
  auto source = open_input(request);
  if (!source) return std::unexpected(source.error());
  return request.split->resolve(first_time(**source).value_or(Timestamp{}));
}

/// What is the same for every report of a run.
struct Task {
  const RttRequest& request;
  std::optional<Expectation> expectation;
  Clock::time_point started = Clock::now();
};

/// Also by group, if both have the same groups.
void hold_against(const Expectation& expectation, const RttRequest& request, RttReport& report) {
  const Measurement& measurement = *report.measurement;
  ExpectOptions options = request.expect_options;
  if (measurement.grouping() && !expectation.grouping.empty()) {
    options.false_alarm /= 2;  // for the groups, and as much for all else
    report.changes =
        compare_groups(expectation, measurement, request.options.kinds, options, request.top);
  } else if (measurement.grouping()) {
    report.input.warnings.push_back(request.expect +
                                    " has no groups to compare with: it was saved without --by");
  }
  Expectation asked_for = expectation;
  std::erase_if(asked_for.parts,
                [&](const auto& part) { return !request.options.kinds.has(part.kind); });
  report.expect = {
      request.expect, expectation.first, expectation.last,
      compare(asked_for, take_expectation(measurement, request.options.kinds), options)};
}

/// Empty if the kernel dropped nothing.
std::string warning_of_drops(const SourceCounters& counters) {
  if (counters.kernel_drops == 0) return {};
  const std::uint64_t passed = counters.packets + counters.filtered + counters.kernel_drops;
  return fmt::format(
      "the kernel dropped {} of {} packets ({} %) before they could be read: counts are too low, "
      "and pairs are missing",
      format_count(counters.kernel_drops), format_count(passed),
      percent(counters.kernel_drops, passed));
}

/// Where the exact table had to stop, and what helps; empty if it did not.
std::string stopped_short(const RttRequest& request, const Source& source,
                          const RttPipeline& pipeline) {
  if (!pipeline.is_full()) return {};
  return fmt::format(
      "stopped after {} packets: what waits for an answer would take more than {}{}; --memory "
      "64MiB without --table exact measures all of it in fixed memory",
      format_count(source.counters().packets - pipeline.packets_beyond_limit()),
      format_size(request.options.table.limit_bytes),
      request.table.memory_bytes ? "" : ", half of this machine's memory");
}

/// What packets taken to here have given.
RttReport figures_of(const RttRequest& request, const Source& source, const RttPipeline& pipeline) {
  RttReport report;
  report.input.packets = source.counters().packets;
  report.input.bytes = source.counters().bytes;
  report.input.first = pipeline.time_span().first;
  report.input.last = pipeline.time_span().last;
  report.input.skipped = skipped_packets(source.counters(), pipeline.skipped());
  report.input.warnings = all_warnings(source);
  report.input.drops = warning_of_drops(source.counters());
  report.input.stopped = stopped_short(request, source, pipeline);
  const TableKind table = request.options.table.kind;
  report.table.name = name_of(table);
  report.table.memory_bytes = pipeline.memory().table_bytes;
  report.table.connection_bytes = pipeline.memory().connection_bytes;
  report.table.counters = pipeline.table_counters();
  if (request.table.memory_bytes || pipeline.is_full())
    report.table.limit_bytes = request.options.table.limit_bytes;
  if (table != TableKind::exact) report.table.promise = promise_of(request.options.table);
  report.measurement = &pipeline.measurement();
  report.loss = pipeline.loss();
  report.loss_followed = pipeline.connections_followed();
  return report;
}

/// What the kernel has measured.
RttReport figures_of(const RttRequest& request, KernelRtt& run) {
  RttReport report;
  const dp_counters counters = run.counters();
  report.input.packets = counters.packets;
  report.input.bytes = counters.bytes;
  report.input.first = run.time_span().first;
  report.input.last = run.time_span().last;
  report.input.skipped = skipped_packets({}, run.skipped());
  report.input.warnings = run.warnings();
  if (!request.kinds_named)
    report.input.warnings.emplace_back(
        "kinds flow and quic are not measured in the kernel; --engine socket has them");
  const bool one = request.table.kind == TableKind::fridge || run.has_histograms();
  report.table.name = name_of(one ? TableKind::fridge : TableKind::fridges);
  report.table.memory_bytes = run.table_bytes();
  report.table.connection_bytes = run.connection_bytes();
  report.table.counters = run.table_counters();
  report.table.promise = promise_of({.kind = one ? TableKind::fridge : TableKind::fridges});
  report.measurement = &run.measurement();
  return report;
}

RttReport make_report(const Task& task, RttReport report) {
  const RttRequest& request = task.request;
  report.input.files = request.captures;
  for (const std::string& interface : request.interfaces)
    report.input.files.push_back("interface " + interface);
  if (interrupted())
    report.input.warnings.emplace_back("interrupted: this is what was read until then");
  report.table.seed = request.options.seed;
  report.kinds = request.options.kinds;
  report.kinds_named = request.kinds_named;
  report.top = request.top;
  report.sort = request.sort;
  report.draw_heatmap = request.draw_heatmap;
  report.threads = request.options.threads;
  for (const SlaRule& rule : request.sla) {
    if (rule.each_group())
      report.sla_groups.push_back(
          evaluate_groups(rule, *report.measurement, request.top, report.loss));
    else
      std::ranges::move(rule.evaluate(*report.measurement, report.loss),
                        std::back_inserter(report.sla));
  }
  if (task.expectation) hold_against(*task.expectation, request, report);
  if (request.split)
    report.changes = compare_groups(*report.measurement, request.expect_options, request.top);
  report.elapsed = Clock::now() - task.started;
  return report;
}

/// Live: the time is not up, and standard output still has a reader.
bool goes_on(const Task& task) {
  return !OutputFile::reader_gone() &&
         (!task.request.duration || Clock::now() - task.started < *task.request.duration);
}

/// Live: goes on until the time is up, and shows the figures every second on a terminal.
template <class Figures>
GoOn watching(const Task& task, LiveView& view, Figures figures) {
  return [&task, &view, figures] {
    const RttRequest& request = task.request;
    if (view.due())
      view.show(live_report(make_report(task, figures()), {request.color, request.unicode},
                            screen_size()));
    return goes_on(task);
  };
}

/// What the text report would say, for those who read another form of it.
void warn_of(const RttRequest& request, const RttReport& report) {
  if ((!request.json && !silent(request)) || OutputFile::reader_gone()) return;
  if (!report.input.drops.empty()) warn(report.input.drops);
  for (const std::string& warning : report.input.warnings) warn(warning);
}

/// Broken promises, for the exit status.
bool alarmed(const RttReport& report) {
  return std::ranges::any_of(report.sla, &SlaResult::broken) ||
         std::ranges::any_of(report.sla_groups, &SlaGroups::broken) ||
         (report.expect && report.expect->comparison.shifted()) ||
         (report.expect && report.changes && !report.changes->at && report.changes->any_changed());
}

/// All is open that needs them, and no packet has been looked at.
Result<void> give_up_rights(RttOutputs& outputs) {
  if (::geteuid() == 0)  // nobody may not rename in root's folders
    if (auto held = outputs.hold_places(); !held) return held;
  return drop_privileges();
}

Result<int> measure(const RttRequest& request) {
  Task task{request, std::nullopt};
  if (!request.expect.empty()) {
    auto expectation = load_expectation(request.expect);
    if (!expectation) return std::unexpected(expectation.error());
    task.expectation = std::move(*expectation);
  }
  if (auto checked = check_groups(request, task.expectation); !checked)
    return std::unexpected(checked.error());
  auto outputs = RttOutputs::open(request);
  if (!outputs) return std::unexpected(outputs.error());
  std::optional<SampleCsvWriter> writer;
  if (outputs->samples) writer.emplace(*outputs->samples);
  SampleSink* const sink = writer ? &*writer : nullptr;

  const bool live = !request.interfaces.empty();
  LiveEngine engine;
  if (live) {
    auto opened = open_engine(request, sink);
    if (!opened) return std::unexpected(opened.error());
    engine = std::move(*opened);
  }
  std::unique_ptr<Source> source;
  std::optional<RttPipeline> pipeline;
  if (!engine.kernel) {
    auto opened = open_input(request);
    if (!opened) return std::unexpected(opened.error());
    source = std::move(*opened);
    pipeline.emplace(request.options, sink);
  }
  if (live)
    if (auto dropped = give_up_rights(*outputs); !dropped) return std::unexpected(dropped.error());

  task.started = Clock::now();
  watch_for_interrupts();
  const auto figures = [&] {
    RttReport report = engine.kernel ? figures_of(request, *engine.kernel)
                                     : figures_of(request, *source, *pipeline);
    if (live)
      report.engine =
          engine.kernel ? engine_summary(*engine.kernel, engine) : engine_summary(*source, engine);
    return report;
  };
  bool broken = false;
  std::optional<RttIntervals> intervals;
  if (request.every) intervals.emplace(*request.every);
  const auto end_interval = [&] {
    RttReport report = intervals->since_last(figures());
    const RttPipeline::Interval part =
        engine.kernel ? RttPipeline::Interval{engine.kernel->take_interval(), std::nullopt}
                      : pipeline->take_interval();
    report.measurement = &part.measurement;
    report.loss = part.loss ? &*part.loss : nullptr;
    report = make_report(task, std::move(report));
    outputs->report->write(json_line(report));
    broken = broken || alarmed(report);
  };
  if (live) {
    LiveView view{!request.json && !silent(request)};
    const GoOn watch = watching(task, view, figures);
    const GoOn report_parts = [&] {
      const bool on = goes_on(task);
      if (on && intervals->due()) end_interval();  // the last one ends with the run
      return on;
    };
    const GoOn& go_on = request.every ? report_parts : watch;
    if (engine.kernel)
      engine.kernel->run(interrupted(), go_on);
    else
      pipeline->run_live(*source, interrupted(), go_on);
  } else {
    Progress progress;
    pipeline->run(*source, interrupted(), [&] {
      if (OutputFile::reader_gone()) stop_reading();
      progress.show(source->progress(), source->counters().packets);
    });
  }

  if (writer) writer->flush();
  if (request.every) {
    for (const std::string& warning : figures().input.warnings) warn(warning);
    end_interval();
    if (auto written = outputs->finish_intervals(); !written)
      return std::unexpected(written.error());
    return broken ? exit_sla_violated : exit_ok;
  }
  const RttReport report = make_report(task, figures());
  warn_of(request, report);
  if (auto written = outputs->finish(request, report); !written)
    return std::unexpected(written.error());
  if (!report.input.stopped.empty()) return failure(report.input.stopped);
  return alarmed(report) ? exit_sla_violated : exit_ok;
}

}  // namespace

int run_rtt(const RttRequest& given) {
  RttRequest request = given;
  if (!request.places.empty()) {
    auto places = open_maxmind(request.places);
    if (!places) {
      complain(places.error().message);
      return exit_error;
    }
    request.options.measurement.grouping->set_places(std::move(*places));
  }
  if (request.split) {
    const auto at = resolve_split(request);
    if (!at) {
      complain(at.error().message);
      return exit_error;
    }
    request.options.measurement.split = *at;
  }
  const auto status = measure(request);
  if (status) return *status;
  complain(status.error().message);
  return exit_error;
}

}  // namespace sojourn
