#include "apps/oneway_records.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <utility>

#include "apps/commands.h"
#include "apps/oneway_outputs.h"
#include "capture/files/open_point.h"
#include "capture/source_warnings.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "core/parse.h"
#include "export/oneway/oneway_remarks.h"
#include "export/oneway/record_csv.h"
#include "oneway/cnf/record_diagnosis.h"
#include "pipeline/oneway/record_run.h"

namespace sojourn {
namespace {

Result<std::vector<FlowRecord>> read_records(const std::string& path) {
  auto reader = RecordCsvReader::open(path);
  if (!reader) return std::unexpected(reader.error());
  return all_records(*reader);
}

/// What records cannot give, in one line; empty if all is well.
std::string impossible(const OnewayRequest& request) {
  for (const std::string* path : {&request.first, &request.last})
    if (*path != "-" && !std::ifstream{*path})
      return fmt::format("cannot open {}: {}", *path, std::strerror(errno));
  for (const auto& [path, other] :
       {std::pair{&request.first, &request.last}, std::pair{&request.last, &request.first}})
    if (!holds_records(*path))
      return fmt::format(
          "{} holds flow records, {} does not: both must be records, or both captures", *other,
          *path);
  if (!request.method->joins_records)
    return fmt::format(
        "{} holds flow records, and method {} needs packets; {} work on records", request.first,
        request.method->name,
        listed(oneway_method_names([](const MethodChoice& m) { return !!m.joins_records; }),
               "and"));
  if (!request.filter.empty())
    return "--filter: records hold no packets; filter when they are written";
  if (request.correct_skew) return "--correct-skew: records hold too few packets to see a drift";
  return {};
}

}  // namespace

Result<int> measure_records(const OnewayRequest& request) {
  if (const std::string reason = impossible(request); !reason.empty()) return failure(reason);
  auto outputs = OnewayOutputs::open(request, inputs_of(request));
  if (!outputs) return std::unexpected(outputs.error());
  const auto started = std::chrono::steady_clock::now();
  const auto first = read_records(request.first);
  if (!first) return std::unexpected(first.error());
  auto last = read_records(request.last);
  if (!last) return std::unexpected(last.error());
  take_out_offset(*last, request.clock_offset);
  const OnewayMeasurement measured = join_records(*first, *last, *request.method, request.setup);
  OnewayReport report = report_of(request, measured);
  if (measured.result.flows.empty())
    return failure(sentence_of(diagnose_records(*first, *last), report));
  for (const Point point : {Point::first, Point::last})
    report.points[index_of(point)].captured = measured.inputs[index_of(point)].packets;
  report.elapsed = std::chrono::steady_clock::now() - started;
  add_remarks(report);
  if (auto written = outputs->finish(request, report); !written)
    return std::unexpected(written.error());
  return exit_ok;
}

Result<int> write_records(const OnewayRequest& request) {
  watch_for_interrupts();
  auto source = open_point(request.first, request.filter);
  if (!source) return std::unexpected(source.error());
  RunFiles files = inputs_of(request);
  auto file = files.open(request.write_records);
  if (!file) return std::unexpected(file.error().while_doing("--write-records"));
  RecordCsvWriter writer{std::move(*file)};
  RecordRun run{request.setup, writer};
  run.run(**source, interrupted());
  for (const std::string& warning : all_warnings(**source)) warn(warning);
  if (run.records() == 0)
    return failure(fmt::format(
        "{} holds no IP packets{}", request.first,
        request.filter.empty() && request.setup.options.sampling == 1 ? "" : " that are selected"));
  if (auto written = writer.finish(); !written) return std::unexpected(written.error());
  return exit_ok;
}

}  // namespace sojourn
