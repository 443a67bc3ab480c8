#include "apps/oneway_marking_records.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "export/marking/marking_report_csv.h"
#include "export/oneway/oneway_remarks.h"
#include "pipeline/marking/marking_join.h"

namespace sojourn {
namespace {

std::string impossible_with_marking(const OnewayRequest& request) {
  const std::string& holder = holds_marking(request.first) ? request.first : request.last;
  if (request.method_given && !request.method->reads_marks)
    return fmt::format("{} holds marking records, which --method {} cannot join", holder,
                       request.method->name);
  if (!request.marking_given.empty())
    return fmt::format("{}: {} says itself how packets were marked", request.marking_given, holder);
  if (!request.filter.empty()) return "--filter: records hold no packets; points have --flow";
  if (request.correct_skew) return "--correct-skew: records hold too few packets to see a drift";
  if (request.clock_offset != Duration{})
    return "--clock-offset: the intervals in records were fixed by the points' clocks";
  return {};
}

}  // namespace

Result<int> measure_marking_records(const OnewayRequest& request) {
  if (const std::string reason = impossible_with_marking(request); !reason.empty())
    return failure(reason);
  auto outputs = OnewayOutputs::open(request, inputs_of(request));
  if (!outputs) return std::unexpected(outputs.error());
  std::vector<std::string> paths = {request.first};
  paths.insert(paths.end(), request.setup.via.begin(), request.setup.via.end());
  paths.push_back(request.last);
  std::vector<MarkingPointFile> files;
  for (const std::string& path : paths) {
    if (std::error_code error; path != "-" && !std::filesystem::exists(path, error))
      return failure(fmt::format("cannot open {}: No such file or directory", path));
    if (!holds_marking(path))
      return failure(
          fmt::format("{} does not hold marking records (sojourn point --records), as {} does",
                      path, holds_marking(request.first) ? request.first : request.last));
    auto file = read_marking_csv(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return measure_marking_records(request, files, std::move(*outputs));
}

Result<int> measure_marking_records(const OnewayRequest& request,
                                    const std::vector<MarkingPointFile>& files,
                                    OnewayOutputs outputs) {
  const auto started = std::chrono::steady_clock::now();
  const auto marking = measure_marking_points(files, request.setup);
  if (!marking) return std::unexpected(marking.error());
  if (marking->empty())
    return failure(fmt::format("{} and {} hold no packets", request.first, request.last));
  OnewayReport report = report_of(request, marking->measured);
  report.clock_error = marking->clock_error;
  for (const Point point : {Point::first, Point::last})
    report.points[index_of(point)].captured = marking->measured.inputs[index_of(point)].packets;
  report.elapsed = std::chrono::steady_clock::now() - started;
  add_remarks(report);
  if (auto written = outputs.finish(request, report); !written)
    return std::unexpected(written.error());
  return exit_ok;
}

}  // namespace sojourn
