// `sojourn oneway`: one-way delay and loss, from opening the captures to the exit status.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/commands.h"
#include "apps/oneway_marking_records.h"
#include "apps/oneway_outputs.h"
#include "apps/oneway_records.h"
#include "apps/oneway_request.h"
#include "capture/files/open_point.h"
#include "capture/source_warnings.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "export/marking/marking_report_csv.h"
#include "export/oneway/note_options.h"
#include "export/oneway/oneway_csv.h"
#include "export/oneway/oneway_remarks.h"
#include "export/oneway/oneway_report.h"
#include "export/oneway/record_csv.h"
#include "export/run_words.h"
#include "pipeline/oneway/capture_diagnosis.h"
#include "pipeline/skipped_packets.h"

namespace sojourn {
namespace {

using Clock = std::chrono::steady_clock;

/// Both captures, opened.
struct Inputs {
  std::unique_ptr<Source> first, last;
  const Source& at(Point point) const { return point == Point::first ? *first : *last; }
};

Result<Inputs> open_inputs(const OnewayRequest& request) {
  auto first = open_point(request.first, request.filter);
  if (!first) return std::unexpected(first.error());
  auto last = open_point(request.last, request.filter);
  if (!last) return std::unexpected(last.error());
  return Inputs{std::move(*first), std::move(*last)};
}

void describe_inputs(OnewayReport& report, const Inputs& inputs) {
  for (const Point point : {Point::first, Point::last}) {
    const Source& source = inputs.at(point);
    CaptureReport& side = report.points[index_of(point)];
    side.captured = source.counters().packets;
    side.skipped = skipped_packets(source.counters(), report.measured->skipped[index_of(point)]);
    for (const std::string& warning : all_warnings(source, side.name))
      report.warnings.push_back(warning);
  }
}

/// Both captures through the method.
Result<OnewayMeasurement> run_through(const OnewayRunOptions& options, const Inputs& inputs,
                                      DelaySink* sink) {
  auto run = OnewayRun::make(options, sink);
  if (!run) return std::unexpected(run.error());
  Progress progress;
  (*run)->run(*inputs.first, *inputs.last, interrupted(), [&] {
    if (OutputFile::reader_gone()) stop_reading();
    progress.show(std::min(inputs.first->progress(), inputs.last->progress()),
                  inputs.first->counters().packets + inputs.last->counters().packets);
  });
  return (*run)->finish();
}

/// Standard input and pipes are gone once they were read.
bool can_be_read_again(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}

/// A first reading for the clocks alone: the drift, if there is one.
Result<std::optional<ClockSkew>> find_skew(const OnewayRequest& request, OnewayRunOptions options) {
  options.grouping.reset();
  const auto inputs = open_inputs(request);
  if (!inputs) return std::unexpected(inputs.error());
  const auto measured = run_through(options, *inputs, nullptr);
  if (!measured) return std::unexpected(measured.error());
  const auto& skew = measured->clocks.skew;
  return skew && skew->significant() ? skew : std::nullopt;
}

/// Why there is no result; where possible by reading the captures again.
std::string reason_for_nothing(const OnewayRequest& request, const OnewayReport& report) {
  const OnewayMeasurement& measured = *report.measured;
  if (!measured.result.no_result.empty()) return with_options(measured.result.no_result);
  CaptureDiagnosis diagnosis = diagnose(measured.inputs);
  if (can_be_read_again(request.first) && can_be_read_again(request.last))
    if (const auto again = open_inputs(request))
      diagnosis = diagnose(measured.inputs, request.setup.options.label, request.setup.options.seed,
                           *again->first, *again->last);
  return sentence_of(diagnosis, report, !request.filter.empty());
}

Result<int> measure_captures(const OnewayRequest& request) {
  auto outputs = OnewayOutputs::open(request, inputs_of(request));
  if (!outputs) return std::unexpected(outputs.error());
  watch_for_interrupts();
  OnewayRunOptions options{.method = request.method,
                           .setup = request.setup,
                           .correction = {.offset = request.clock_offset},
                           .grouping = request.grouping};
  if (request.correct_skew) {
    for (const std::string& path : {request.first, request.last})
      if (std::filesystem::exists(path) && !can_be_read_again(path))
        return failure(fmt::format(
            "--correct-skew reads the captures twice, and {} is not a file: save it first", path));
    const auto skew = find_skew(request, options);
    if (!skew) return std::unexpected(skew.error());
    options.correction.skew = *skew;
  }
  const auto inputs = open_inputs(request);
  if (!inputs) return std::unexpected(inputs.error());
  std::optional<DelayCsvWriter> samples;
  if (outputs->samples) samples.emplace(std::move(*outputs->samples));
  const auto started = Clock::now();
  const auto measured = run_through(options, *inputs, samples ? &*samples : nullptr);
  if (!measured) return std::unexpected(measured.error());
  const Duration elapsed = Clock::now() - started;

  OnewayReport report = report_of(request, *measured);
  report.elapsed = elapsed;
  if (measured->empty() && !interrupted()) return failure(reason_for_nothing(request, report));
  describe_inputs(report, *inputs);
  if (measured->common)
    for (const auto& doubt : doubts_of_common(*measured->common, request.setup.options.window))
      report.warnings.push_back(sentence_of(doubt, report));
  if (interrupted()) report.warnings.emplace_back(interrupted_words);
  add_remarks(report);
  auto written = outputs->finish(request, report);
  if (samples)
    if (auto finished = samples->finish(); !finished && written) written = finished;
  if (!written) return std::unexpected(written.error());
  return exit_ok;
}

}  // namespace

int run_oneway(const OnewayRequest& request) {
  const bool of_records = holds_records(request.first) || holds_records(request.last);
  const bool of_marks = holds_marking(request.first) || holds_marking(request.last);
  const auto status = !request.write_records.empty() ? write_records(request)
                      : of_marks                     ? measure_marking_records(request)
                      : of_records                   ? measure_records(request)
                                                     : measure_captures(request);
  if (status) return *status;
  complain(status.error().message);
  return exit_error;
}

}  // namespace sojourn
