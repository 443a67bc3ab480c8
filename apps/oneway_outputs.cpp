#include "apps/oneway_outputs.h"

#include <string>
#include <utility>

#include "console/output.h"
#include "export/oneway/oneway_csv.h"

namespace sojourn {

OnewayReport report_of(const OnewayRequest& request, const OnewayMeasurement& measured) {
  OnewayReport report;
  report.measured = &measured;
  report.method = request.method;
  report.options = request.setup.options;
  report.points[0].name = request.first;
  report.points[1].name = request.last;
  report.clock_offset = request.clock_offset;
  report.clock_error = request.setup.clock_error;
  report.top = request.top;
  if (request.grouping) {
    report.grouping = request.grouping->name();
    report.groups = groups_of(*request.grouping, measured);
  }
  return report;
}

RunFiles inputs_of(const OnewayRequest& request) {
  RunFiles files;
  files.reads(request.first);
  files.reads(request.last);
  for (const std::string& path : request.setup.via) files.reads(path);
  return files;
}

Result<OnewayOutputs> OnewayOutputs::open(const OnewayRequest& request, RunFiles files) {
  OnewayOutputs outputs;
  const bool silent = request.flows == "-" || request.samples == "-" || request.plot == "-";
  struct Wish {
    std::optional<OutputFile>& file;
    std::string path, option;
  };
  for (const Wish& wish : {Wish{outputs.samples, request.samples, "--samples"},
                           {outputs.flows, request.flows, "--flows"},
                           {outputs.plot, request.plot, "--plot"},
                           {outputs.report, silent ? "" : "-", "the report"}}) {
    if (wish.path.empty()) continue;
    auto file = files.open(wish.path);
    if (!file) return std::unexpected(file.error().while_doing(wish.option));
    wish.file.emplace(std::move(*file));
  }
  return outputs;
}

Result<void> OnewayOutputs::finish(const OnewayRequest& request, const OnewayReport& summary) {
  Result<void> result;
  const auto note = [&](const Result<void>& done) {
    if (!done && result) result = done;
  };
  if ((!report || request.json) && !OutputFile::reader_gone())
    for (const std::string& warning : summary.warnings) warn(warning);
  if (report) {
    report->write(request.json ? oneway_json(summary)
                               : oneway_text(summary, {request.color, request.unicode}));
    note(report->finish());
  }
  if (flows) note(write_flows(std::move(*flows), summary.measured->result.flows));
  if (plot) {
    plot->write(oneway_plot(summary));
    note(plot->finish());
  }
  return result;
}

}  // namespace sojourn
