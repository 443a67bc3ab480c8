#include "apps/oneway_print.h"

#include <fmt/format.h>

#include "apps/output.h"
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

Result<void> print_oneway(const OnewayRequest& request, const OnewayReport& report) {
  if (!request.flows.empty())
    if (auto written = write_flows(request.flows, report.measured->result.flows); !written)
      return written;
  if (!request.plot.empty())
    if (auto written = write_file(request.plot, oneway_plot(report)); !written) return written;
  const bool silent = request.flows == "-" || request.samples == "-";
  if (silent || request.json)
    for (const std::string& warning : report.warnings)
      fmt::print(stderr, "sojourn: warning: {}\n", warning);
  if (silent) return {};
  return write_file("-", request.json ? oneway_json(report)
                                      : oneway_text(report, {request.color, request.unicode}));
}

}  // namespace sojourn
