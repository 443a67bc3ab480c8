// `sojourn lab`: lists and runs the experiments.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "export/charts/line_chart.h"
#include "export/files/run_files.h"
#include "export/lab/lab_csv.h"
#include "export/lab/lab_json.h"
#include "export/lab/lab_page.h"
#include "export/lab/lab_text.h"

namespace sojourn {
namespace {

constexpr const char* lab_examples = R"(Examples:
  sojourn lab                                    the experiments, with one line each
  sojourn lab l2                                 run one; CSV and SVG go to ./sojourn-lab
  sojourn lab all --quick                        all, scaled down
  sojourn lab --html report.html                 all, gathered in one page
  sojourn lab compare mine.pcap --memory 4KiB,64KiB,1MiB
                                                 every table on a capture of your own
  sojourn lab tune mine.pcap --target 'p99 within 10%'
                                                 the smallest memory that is good enough

The exit status is 0 when the experiments ran to their end; the last line
counts the claims that were missed.
)";

struct LabRequest {
  std::vector<std::string> names;
  LabSetting setting;
  std::string out = "sojourn-lab";
  std::string html;
  bool json = false;
};

const Experiment* experiment_named(std::string_view name) {
  const auto all = experiments();
  const auto found = std::ranges::find(all, name, &Experiment::name);
  return found == all.end() ? nullptr : &*found;
}

std::string complaint_about(const std::string& name) {
  if (name == "all" || experiment_named(name)) return {};
  std::string known = "all";
  for (const Experiment& experiment : experiments()) known += ", " + std::string{experiment.name};
  return fmt::format("'{}' is not an experiment; there are {}, and the commands compare and tune",
                     name, known);
}

std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const Experiment*> result;
  for (const Experiment& experiment : experiments()) {
    const auto asked = [&](const std::string& name) {
      return name == "all" || name == experiment.name;
    };
    if (std::ranges::any_of(names, asked)) result.push_back(&experiment);
  }
  return result;
}

LabResult run_one(const Experiment& experiment, LabSetting setting) {
  Progress progress;
  setting.progress = [&](double fraction) { progress.show(fraction, experiment.name); };
  const auto started = std::chrono::steady_clock::now();
  LabReport report = experiment.run(setting);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  return {&experiment, std::move(report), took.count()};
}

/// The tables as CSV and the figures as SVG; gives the paths written.
Result<std::vector<std::string>> write_results(const LabResult& result, const std::string& folder,
                                               RunFiles& files) {
  std::vector<std::string> paths;
  const auto write = [&](const std::string& path, const std::string& text) {
    paths.push_back(path);
    return write_file(files, path, text);
  };
  const std::string stem = folder + "/" + std::string{result.experiment->name} + "-";
  for (const ResultTable& table : result.report.tables) {
    if (auto written = write(stem + table.name + ".csv", lab_csv(table)); !written)
      return std::unexpected(written.error());
  }
  for (const LabFigure& figure : result.report.figures) {
    if (auto written = write(stem + figure.name + ".svg", svg_chart(figure.chart)); !written)
      return std::unexpected(written.error());
  }
  return paths;
}

Result<void> run_experiments(const LabRequest& request) {
  const auto todo = chosen(request.names);
  RunFiles files;
  std::optional<OutputFile> page;
  if (!request.html.empty()) {
    auto opened = files.open(request.html);
    if (!opened) return std::unexpected(opened.error().while_doing("--html"));
    page.emplace(std::move(*opened));
  }
  if (request.html != "-")
    if (auto opened = open_output(files); !opened) return opened;
  if (auto made = make_folder(request.out); !made) return made;
  watch_for_interrupts();
  std::vector<LabResult> results;
  for (const Experiment* experiment : todo) {
    if (interrupted()) break;
    results.push_back(run_one(*experiment, request.setting));
    const LabResult& result = results.back();
    const auto paths = write_results(result, request.out, files);
    if (!paths) return std::unexpected(paths.error());
    if (request.json || request.html == "-") continue;
    say_text(lab_text(result, *paths));
  }
  if (page) {
    page->write(lab_page(results, request.setting));
    if (auto written = page->finish(); !written) return written;
  }
  if (interrupted()) return failure("interrupted: only what was done until then has been written");
  if (request.html == "-") return {};
  if (request.json) {
    say_text(lab_json(results, request.setting));
    return {};
  }
  if (!request.html.empty()) say_text(files_written({&request.html, 1}));
  say_text(lab_verdict(results));
  return {};
}

int run_lab(const LabRequest& request) {
  if (request.names.empty()) {
    say_text(lab_list(experiments()));
    return exit_ok;
  }
  const auto done = run_experiments(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace

void add_lab(CLI::App& app, Run& run) {
  const auto request = std::make_shared<LabRequest>();
  CLI::App& lab =
      *app.add_subcommand("lab", "the papers' experiments, and your own captures, judged");
  lab.footer(lab_examples);
  lab.get_formatter()->column_width(34);
  lab.require_subcommand(0, 1);
  lab.add_option("EXPERIMENT", request->names,
                 "names from the list that 'sojourn lab' prints, or all")
      ->check(complaint_about)
      ->type_name("");
  lab.add_flag("--quick", request->setting.quick, "scaled down: seconds instead of minutes");
  add_seed(lab, request->setting.seed, "of all that is drawn at random (default 1)");
  lab.add_option("--out", request->out, "where the CSV and SVG files go (default ./sojourn-lab)")
      ->type_name("FOLDER");
  lab.add_option("--html", request->html, "gather everything in this page, - for standard output")
      ->type_name("FILE");
  lab.add_flag("--json", request->json, "one JSON document on standard output");
  add_lab_compare(lab, run);
  add_lab_tune(lab, run);
  lab.callback([request, &lab, &run] {
    if (!lab.get_subcommands().empty()) {
      if (!request->names.empty() || lab.count("--quick") + lab.count("--seed") +
                                             lab.count("--out") + lab.count("--html") +
                                             lab.count("--json") >
                                         0)
        throw CLI::ValidationError(
            "compare and tune take their options behind them, and no experiments");
      return;
    }
    if (request->names.empty() && !request->html.empty()) request->names = {"all"};
    if (request->names.empty() && lab.count_all() > 1)
      throw CLI::ValidationError("no experiment named: 'sojourn lab' lists them; 'all' runs all");
    if (request->json && request->html == "-")
      throw CLI::ValidationError("--json and --html - both want standard output");
    run = [request] { return run_lab(*request); };
  });
}

}  // namespace sojourn
