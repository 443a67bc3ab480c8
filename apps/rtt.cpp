// `sojourn rtt`: round-trip delays, from opening the input to the exit status.

#include <unistd.h>

#include <chrono>
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
#include "export/rtt/input_text.h"
#include "export/rtt/json_report.h"
#include "export/rtt/report_verdicts.h"
#include "export/rtt/rtt_report.h"
#include "export/rtt/text/text_report.h"
#include "export/run_words.h"
#include "export/sample_csv.h"
#include "pipeline/rtt_pipeline.h"
#include "pipeline/skipped_packets.h"
#include "places/maxmind.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;

Result<std::unique_ptr<Source>> open_input(const RttRequest& request) {
  std::shared_ptr<NameTable> names;
  if (groups_by_interface(request.options))
    names = request.options.measurement.grouping->shared_ways();
  auto source = request.interfaces.empty()
                    ? open_captures(request.captures, names)
                    : open_interfaces({.interfaces = request.interfaces, .names = names});
  if (!source) return failure(with_capability_advice(source.error().message));
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

/// What packets taken to here have given.
RttReport figures_of(const RttRequest& request, const Source& source, const RttPipeline& pipeline) {
  RttReport report;
  const SourceCounters& counters = source.counters();
  report.input.packets = counters.packets;
  report.input.bytes = counters.bytes;
  report.input.first = pipeline.time_span().first;
  report.input.last = pipeline.time_span().last;
  report.input.skipped = skipped_packets(counters, pipeline.skipped());
  report.input.warnings = all_warnings(source);
  report.input.kernel_drops = counters.kernel_drops;
  report.input.passed = counters.packets + counters.filtered + counters.kernel_drops;
  if (pipeline.is_full())
    report.input.stopped = {.packets = counters.packets - pipeline.packets_beyond_limit(),
                            .limit_bytes = request.options.table.limit_bytes,
                            .limit_named = request.table.memory_bytes.has_value()};
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
  if (!request.kinds_named) report.input.warnings.emplace_back(kinds_outside_kernel_words);
  const bool one = request.table.kind == TableKind::fridge || run.has_histograms();
  report.table.name = name_of(one ? TableKind::fridge : TableKind::fridges);
  report.table.memory_bytes = run.table_bytes();
  report.table.connection_bytes = run.connection_bytes();
  report.table.counters = run.table_counters();
  report.table.promise = promise_of({.kind = one ? TableKind::fridge : TableKind::fridges});
  report.measurement = &run.measurement();
  return report;
}

/// What the text report would say, for those who read another form of it.
void warn_of(const RttRequest& request, const RttReport& report) {
  if ((!request.json && !silent(request)) || OutputFile::reader_gone()) return;
  if (const std::string drops = drops_text(report.input); !drops.empty()) warn(drops);
  for (const std::string& warning : report.input.warnings) warn(warning);
}

/// All is open that needs them, and no packet has been looked at.
Result<void> give_up_rights(RttOutputs& outputs) {
  if (::geteuid() == 0)  // nobody may not rename in root's folders
    if (auto held = outputs.hold_places(); !held) return held;
  return drop_privileges();
}

/// One run: what it opens, measures and reports, in this order.
class RttRun {
 public:
  explicit RttRun(const RttRequest& request) : request_(request) {}

  Result<int> measure() {
    if (auto ready = read_expectation(); !ready) return std::unexpected(ready.error());
    if (auto ready = open_outputs(); !ready) return std::unexpected(ready.error());
    if (auto ready = open_meter(); !ready) return std::unexpected(ready.error());
    if (is_live())
      if (auto dropped = give_up_rights(outputs_); !dropped)
        return std::unexpected(dropped.error());
    started_ = Clock::now();
    watch_for_interrupts();
    if (request_.every) intervals_.emplace(*request_.every);
    if (is_live())
      run_live();
    else
      run_captures();
    if (writer_) writer_->flush();
    return request_.every ? finish_intervals() : finish_whole();
  }

 private:
  bool is_live() const { return !request_.interfaces.empty(); }

  Result<void> read_expectation() {
    if (!request_.expect.empty()) {
      auto expectation = load_expectation(request_.expect);
      if (!expectation) return std::unexpected(expectation.error());
      expectation_ = std::move(*expectation);
    }
    return check_groups(request_, expectation_);
  }
  Result<void> open_outputs() {
    auto outputs = RttOutputs::open(request_);
    if (!outputs) return std::unexpected(outputs.error());
    outputs_ = std::move(*outputs);
    if (outputs_.samples) writer_.emplace(*outputs_.samples);
    return {};
  }
  /// The kernel's program, or a source and the pipeline.
  Result<void> open_meter() {
    SampleSink* const sink = writer_ ? &*writer_ : nullptr;
    if (is_live()) {
      auto opened = open_engine(request_, sink);
      if (!opened) return std::unexpected(opened.error());
      engine_ = std::move(*opened);
    }
    if (engine_.kernel) return {};
    auto opened = open_input(request_);
    if (!opened) return std::unexpected(opened.error());
    source_ = std::move(*opened);
    pipeline_.emplace(request_.options, sink);
    return {};
  }

  /// What has been measured until now.
  RttReport figures() {
    RttReport report = engine_.kernel ? figures_of(request_, *engine_.kernel)
                                      : figures_of(request_, *source_, *pipeline_);
    if (is_live())
      report.engine = engine_.kernel ? engine_summary(*engine_.kernel, engine_)
                                     : engine_summary(*source_, engine_);
    return report;
  }
  /// These figures beside what was asked for, and their verdicts.
  RttReport report_of(RttReport report) const {
    report.input.files = request_.captures;
    for (const std::string& interface : request_.interfaces)
      report.input.files.push_back("interface " + interface);
    if (interrupted()) report.input.warnings.emplace_back(interrupted_words);
    report.table.seed = request_.options.seed;
    report.kinds = request_.options.kinds;
    report.kinds_named = request_.kinds_named;
    report.top = request_.top;
    report.sort = request_.sort;
    report.draw_heatmap = request_.draw_heatmap;
    report.threads = request_.options.threads;
    add_verdicts({.sla = request_.sla,
                  .expectation = expectation_ ? &*expectation_ : nullptr,
                  .expectation_file = request_.expect,
                  .expect_options = request_.expect_options,
                  .split = request_.split.has_value()},
                 report);
    report.elapsed = Clock::now() - started_;
    return report;
  }
  void end_interval() {
    RttReport report = intervals_->since_last(figures());
    const RttPipeline::Interval part =
        engine_.kernel ? RttPipeline::Interval{engine_.kernel->take_interval(), std::nullopt}
                       : pipeline_->take_interval();
    report.measurement = &part.measurement;
    report.loss = part.loss ? &*part.loss : nullptr;
    report = report_of(std::move(report));
    outputs_.report->write(json_line(report));
    broken_ = broken_ || breaks_a_promise(report);
  }

  /// The time is not up, and standard output still has a reader.
  bool goes_on() const {
    return !OutputFile::reader_gone() &&
           (!request_.duration || Clock::now() - started_ < *request_.duration);
  }
  /// Shows the figures every second on a terminal, or reports each interval.
  void run_live() {
    LiveView view{!request_.json && !silent(request_)};
    const GoOn go_on = [&] {
      if (intervals_) {
        const bool on = goes_on();
        if (on && intervals_->due()) end_interval();  // the last one ends with the run
        return on;
      }
      if (view.due())
        view.show(
            live_report(report_of(figures()), {request_.color, request_.unicode}, screen_size()));
      return goes_on();
    };
    if (engine_.kernel)
      engine_.kernel->run(interrupted(), go_on);
    else
      pipeline_->run_live(*source_, interrupted(), go_on);
  }
  void run_captures() {
    Progress progress;
    pipeline_->run(*source_, interrupted(), [&] {
      if (OutputFile::reader_gone()) stop_reading();
      progress.show(source_->progress(), source_->counters().packets);
    });
  }

  Result<int> finish_intervals() {
    for (const std::string& warning : figures().input.warnings) warn(warning);
    end_interval();
    if (auto written = outputs_.finish_intervals(); !written)
      return std::unexpected(written.error());
    return broken_ ? exit_sla_violated : exit_ok;
  }
  Result<int> finish_whole() {
    const RttReport report = report_of(figures());
    warn_of(request_, report);
    if (auto written = outputs_.finish(request_, report); !written)
      return std::unexpected(written.error());
    if (report.input.stopped) return failure(stopped_text(report.input));
    return breaks_a_promise(report) ? exit_sla_violated : exit_ok;
  }

  const RttRequest& request_;
  std::optional<Expectation> expectation_;
  RttOutputs outputs_;
  std::optional<SampleCsvWriter> writer_;  ///< into one of these
  LiveEngine engine_;
  std::unique_ptr<Source> source_;
  std::optional<RttPipeline> pipeline_;
  Clock::time_point started_;
  std::optional<RttIntervals> intervals_;
  bool broken_ = false;  ///< in an interval that is over
};

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
  const auto status = RttRun{request}.measure();
  if (status) return *status;
  complain(status.error().message);
  return exit_error;
}

}  // namespace sojourn
