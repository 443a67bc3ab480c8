#include "apps/rtt_outputs.h"

#include <string>
#include <utility>

#include "apps/rtt_expect.h"
#include "console/this_process.h"
#include "export/files/run_files.h"
#include "export/rtt/html_report.h"
#include "export/rtt/json_report.h"
#include "export/rtt/svg_heatmap.h"
#include "export/rtt/svg_plot.h"
#include "export/rtt/text/text_report.h"

namespace sojourn {

bool silent(const RttRequest& request) {
  return request.samples == "-" || request.plot == "-" || request.plot_heatmap == "-";
}

Result<RttOutputs> RttOutputs::open(const RttRequest& request) {
  RunFiles files;
  RttOutputs outputs;
  for (const std::string& capture : request.captures) files.reads(capture);
  for (const std::string& places : request.places) files.reads(places);
  const auto open = [&](std::optional<OutputFile>& output, const std::string& path,
                        const char* option) -> Result<void> {
    if (path.empty()) return {};
    auto file = files.open(path);
    if (!file) return std::unexpected(file.error().while_doing(option));
    output.emplace(std::move(*file));
    return {};
  };
  // The file of --expect has been read, and may be renewed by this one alone.
  if (auto done = open(outputs.distribution, request.save_distribution, "--save-distribution");
      !done)
    return std::unexpected(done.error());
  files.reads(request.expect);
  if (auto done = open(outputs.samples, request.samples, "--samples"); !done)
    return std::unexpected(done.error());
  if (auto done = open(outputs.plot, request.plot, "--plot"); !done)
    return std::unexpected(done.error());
  if (auto done = open(outputs.heatmap, request.plot_heatmap, "--plot-heatmap"); !done)
    return std::unexpected(done.error());
  if (auto done = open(outputs.html, request.html, "--html"); !done)
    return std::unexpected(done.error());
  if (auto done = open(outputs.report, silent(request) ? "" : "-", "the report"); !done)
    return std::unexpected(done.error());
  return outputs;
}

Result<void> RttOutputs::hold_places() {
  for (std::optional<OutputFile>* file : {&samples, &plot, &heatmap, &html, &distribution})
    if (*file)
      if (auto held = (*file)->hold_place(); !held) return held;
  return {};
}

Result<void> RttOutputs::finish(const RttRequest& request, const RttReport& summary) {
  Result<void> result;
  const auto finish_one = [&](std::optional<OutputFile>& output) {
    if (!output) return;
    if (auto done = output->finish(); !done && result) result = std::unexpected(done.error());
  };
  // The report first: it is what matters most, and what takes the longest to measure again.
  if (report) {
    report->write(request.json ? json_report(summary)
                               : text_report(summary, {request.color, request.unicode}));
    finish_one(report);
  }
  finish_one(samples);
  if (distribution) distribution->write(distribution_text(summary));
  finish_one(distribution);
  if (plot) plot->write(svg_plot(summary));
  finish_one(plot);
  if (heatmap) heatmap->write(svg_heatmap(summary));
  finish_one(heatmap);
  if (html) html->write(html_report(summary));
  finish_one(html);
  return result;
}

Result<void> RttOutputs::finish_intervals() {
  Result<void> result = report->finish();
  if (!samples) return result;
  const Result<void> written = samples->finish();
  return result ? written : result;
}

RttIntervals::RttIntervals(Duration length)
    : length_(length), due_(Clock::now() + length), reports_(wall_clock()) {}

RttReport RttIntervals::since_last(RttReport total) {
  while (due()) due_ += length_;
  return reports_.since_last(std::move(total), wall_clock());
}

}  // namespace sojourn
