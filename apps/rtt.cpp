// `sojourn rtt`: round-trip delays, from opening the input to the exit status.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/progress.h"
#include "apps/rtt_engine.h"
#include "apps/rtt_expect.h"
#include "apps/rtt_request.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "capture/source_warnings.h"
#include "capture/unique_fd.h"
#include "export/rtt/json_report.h"
#include "export/rtt/rtt_report.h"
#include "export/rtt/svg_plot.h"
#include "export/rtt/text_report.h"
#include "export/sample_csv.h"
#include "pipeline/rtt_pipeline.h"
#include "pipeline/skipped_packets.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

Result<std::unique_ptr<Source>> open_input(const RttRequest& request) {
  LiveOptions live;
  if (!request.interfaces.empty()) live.interface = request.interfaces.front();
  auto source = request.interfaces.empty() ? open_captures(request.captures) : open_interface(live);
  if (!source || request.filter.empty()) return source;
  return FilteredSource::open(std::move(*source), request.filter);
}

/// A file to write, "-" for standard output.
Result<UniqueFd> open_output(const std::string& path) {
  const int descriptor = path == "-"
                             ? dup(STDOUT_FILENO)
                             : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
  return UniqueFd{descriptor};
}

Result<void> write_all(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure(fmt::format("cannot write {}: {}", name, std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Files that are written at the end.  A live run opens them at the beginning, while it may.
class LateOutputs {
 public:
  static Result<LateOutputs> open(const RttRequest& request) {
    LateOutputs outputs;
    if (request.interfaces.empty()) return outputs;
    for (auto [path, file] : {std::pair{&request.plot, &outputs.plot_},
                              std::pair{&request.save_distribution, &outputs.distribution_}}) {
      if (path->empty()) continue;
      auto opened = open_output(*path);
      if (!opened) return std::unexpected(opened.error());
      *file = std::move(*opened);
    }
    return outputs;
  }
  Result<void> write_plot(const RttRequest& request, std::string_view text) {
    return write(plot_, request.plot, text);
  }
  Result<void> write_distribution(const RttRequest& request, std::string_view text) {
    return write(distribution_, request.save_distribution, text);
  }

 private:
  static Result<void> write(UniqueFd& file, const std::string& path, std::string_view text) {
    if (!file) {
      auto opened = open_output(path);
      if (!opened) return std::unexpected(opened.error());
      file = std::move(*opened);
    }
    return write_all(file.get(), text, path);
  }

  UniqueFd plot_, distribution_;
};

/// What is the same for every report of a run.
struct Task {
  const RttRequest& request;
  std::optional<Expectation> expectation;
  Clock::time_point started = Clock::now();
};

ExpectSummary held_against(const Expectation& expectation, const RttRequest& request,
                           const Measurement& measurement) {
  Expectation asked_for = expectation;
  std::erase_if(asked_for.parts,
                [&](const auto& part) { return !request.options.kinds.has(part.kind); });
  return {request.expect, expectation.first, expectation.last,
          compare(asked_for, take_expectation(measurement, request.options.kinds),
                  request.expect_options)};
}

/// What packets taken to here have given.
RttReport figures_of(const RttRequest& request, const Source& source, RttPipeline& pipeline) {
  RttReport report;
  report.input.packets = source.counters().packets;
  report.input.bytes = source.counters().bytes;
  report.input.first = pipeline.time_span().first;
  report.input.last = pipeline.time_span().last;
  report.input.skipped = skipped_packets(source.counters(), pipeline.skipped());
  report.input.warnings = all_warnings(source);
  const TableKind table = request.options.table.kind;
  report.table.name = name_of(table);
  report.table.memory_bytes = pipeline.memory().table_bytes;
  report.table.connection_bytes = pipeline.memory().connection_bytes;
  report.table.counters = pipeline.table_counters();
  if (table != TableKind::exact) report.table.promise = promise_of(request.options.table);
  report.measurement = &pipeline.measurement();
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
  const bool one = request.table.kind == TableKind::fridge;
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
  report.top = request.top;
  report.threads = request.options.threads;
  for (const SlaRule& rule : request.sla) {
    if (rule.each_group())
      report.sla_groups.push_back(evaluate_groups(rule, *report.measurement, request.top));
    else
      report.sla.push_back(rule.evaluate(*report.measurement));
  }
  if (task.expectation)
    report.expect = held_against(*task.expectation, request, *report.measurement);
  report.elapsed = Clock::now() - task.started;
  return report;
}

/// Live: measures until the time is up, and shows the figures every second on a terminal.
template <class Step, class Figures>
void watch(const Task& task, Step step, Figures figures) {
  const auto& [request, expectation, started] = task;
  const bool refresh = isatty(STDOUT_FILENO) && !request.json && request.samples != "-";
  auto next_refresh = started + 1s;
  while (!interrupted() && (!request.duration || Clock::now() - started < *request.duration)) {
    if (!step()) break;
    if (refresh && Clock::now() >= next_refresh) {
      const auto report = make_report(task, figures());
      fmt::print("\033[H\033[J{}", text_report(report, {request.color, request.unicode}));
      std::fflush(stdout);
      next_refresh = Clock::now() + 1s;
    }
  }
  if (refresh) fmt::print("\033[H\033[J");
}

Result<void> print(const RttRequest& request, const RttReport& report, LateOutputs& outputs) {
  if (!request.plot.empty())
    if (auto written = outputs.write_plot(request, svg_plot(report)); !written) return written;
  if (request.samples == "-") return {};  // standard output belongs to the samples
  const std::string text =
      request.json ? json_report(report) : text_report(report, {request.color, request.unicode});
  return write_all(STDOUT_FILENO, text, "the report");
}

/// What the text report would say, for those who read another form of it.
void warn(const RttRequest& request, const RttReport& report) {
  if (!request.json && request.samples != "-") return;
  for (const std::string& warning : report.input.warnings)
    fmt::print(stderr, "sojourn: warning: {}\n", warning);
}

/// Broken promises, for the exit status.
bool alarmed(const RttReport& report) {
  return std::ranges::any_of(report.sla, &SlaResult::broken) ||
         std::ranges::any_of(report.sla_groups, &SlaGroups::broken) ||
         (report.expect && report.expect->comparison.shifted());
}

Result<int> measure(const RttRequest& request) {
  Task task{request, std::nullopt};
  if (!request.expect.empty()) {
    auto expectation = load_expectation(request.expect);
    if (!expectation) return std::unexpected(expectation.error());
    task.expectation = std::move(*expectation);
  }
  UniqueFd samples_file;
  std::unique_ptr<SampleCsvWriter> writer;
  if (!request.samples.empty()) {
    auto file = open_output(request.samples);
    if (!file) return std::unexpected(file.error());
    samples_file = std::move(*file);
    writer = std::make_unique<SampleCsvWriter>(samples_file.get());
  }
  RttPipeline::SampleConsumer consumer;
  if (writer) consumer = [&](const Sample& sample) { writer->write(sample); };

  const bool live = !request.interfaces.empty();
  LiveEngine engine;
  if (live) {
    auto opened = open_engine(request, consumer);
    if (!opened) return std::unexpected(opened.error());
    engine = std::move(*opened);
  }
  std::unique_ptr<Source> source;
  std::optional<RttPipeline> pipeline;
  if (!engine.kernel) {
    auto opened = open_input(request);
    if (!opened) return std::unexpected(opened.error());
    source = std::move(*opened);
    pipeline.emplace(request.options, writer.get());
  }
  auto outputs = LateOutputs::open(request);
  if (!outputs) return std::unexpected(outputs.error());
  if (live)
    if (auto dropped = drop_privileges(); !dropped) return std::unexpected(dropped.error());

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
  if (live) {
    watch(
        task, [&] { return engine.kernel ? engine.kernel->step() : pipeline->step(*source); },
        figures);
    if (pipeline) pipeline->finish();
  } else {
    Progress progress;
    pipeline->run(*source, interrupted(),
                  [&] { progress.show(source->progress(), source->counters().packets); });
  }

  if (writer)
    if (auto written = writer->finish(); !written)
      return std::unexpected(written.error().while_doing("cannot write " + request.samples));
  const RttReport report = make_report(task, figures());
  warn(request, report);
  if (!request.save_distribution.empty())
    if (auto saved = outputs->write_distribution(request, distribution_text(report)); !saved)
      return std::unexpected(saved.error());
  if (auto printed = print(request, report, *outputs); !printed)
    return std::unexpected(printed.error());
  return alarmed(report) ? exit_sla_violated : exit_ok;
}

}  // namespace

int run_rtt(const RttRequest& request) {
  const auto status = measure(request);
  if (status) return *status;
  fmt::print(stderr, "sojourn: {}\n", status.error().message);
  return exit_error;
}

}  // namespace sojourn
