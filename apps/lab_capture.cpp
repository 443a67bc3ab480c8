// `sojourn lab compare` and `sojourn lab tune`: tables judged on a capture of the user's own.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "console/output.h"
#include "console/progress.h"
#include "core/printable.h"
#include "core/units.h"
#include "experiments/capture/compare.h"
#include "experiments/capture/tune.h"
#include "export/charts/line_chart.h"
#include "export/files/run_files.h"
#include "export/lab/capture_text.h"
#include "export/lab/lab_csv.h"
#include "export/lab/lab_json.h"
#include "export/lab/lab_text.h"

namespace sojourn {
namespace {

constexpr const char* compare_examples = R"(Examples:
  sojourn lab compare mine.pcap
  sojourn lab compare mine.pcap --memory 4KiB,64KiB,1MiB --plot errors.svg
  sojourn lab compare a.pcap b.pcap --kind dns --seeds 20 --json

Each table runs as 'sojourn rtt --table NAME --memory SIZE' would run it, and
is held to the exact distribution.  Errors are |log2(estimated / true)|: 0.1
is 7 %, 1 is a factor of two.
)";

constexpr const char* tune_examples = R"(Examples:
  sojourn lab tune mine.pcap
  sojourn lab tune mine.pcap --target 'p99 within 10%'
  sojourn lab tune mine.pcap --target 'p50 within 5%, p95 within 10%' --kind dns

The rule: the median error over the seeds meets the target, and does so again
on four times as many fresh seeds, as do two thirds of those runs.  The memory
doubles until a table does.  Only unbiased tables are advised; staged is shown too.
)";

struct CaptureRequest {
  std::vector<std::string> captures;
  Kind kind = Kind::tcp;
  unsigned seeds = 7;
  std::uint64_t seed = 1;
  bool json = false;
};

Result<Kind> parse_kind(std::string_view text) {
  const auto names = std::span{kind_names}.first(paired_kind_count);  // those that wait in a table
  if (const auto kind = kind_named(text); kind && index_of(*kind) < names.size()) return *kind;
  return unknown_name(text, "kind", names);
}

Result<std::uint64_t> parse_runs(std::string_view text) { return parse_count(text, 1, 1000); }

Result<std::vector<std::uint64_t>> parse_memories(std::string_view text) {
  std::vector<std::uint64_t> memories;
  for (const std::string_view part : split_at_commas(text)) {
    const auto size = parse_size(part);
    if (!size) return std::unexpected(size.error());
    if (*size < 4096 || *size > std::uint64_t{1} << 34)
      return failure(fmt::format("'{}': 4KiB to 16GiB make sense", part));
    memories.push_back(*size);
  }
  std::ranges::sort(memories);
  memories.erase(std::ranges::unique(memories).begin(), memories.end());
  return memories;
}

void add_common(CLI::App& command, CaptureRequest& request) {
  command.get_formatter()->column_width(34);
  command
      .add_option("CAPTURE", request.captures,
                  "pcap or pcapng files, also .gz or .zst; - is standard input")
      ->required()
      ->type_name("");
  add_parsed(
      command, "--kind", "KIND", parse_kind, [&](Kind kind) { request.kind = kind; },
      "the kind to judge by (default tcp)");
  add_parsed(
      command, "--seeds", "NUMBER", parse_runs,
      [&](std::uint64_t runs) { request.seeds = static_cast<unsigned>(runs); },
      "runs of each table, with other hashes (default 7)");
  add_seed(command, request.seed, "the first of them (default 1)");
  command.add_flag("--json", request.json, "one JSON document on standard output");
}

Result<CaptureTrial> read_trial(const CaptureRequest& request) {
  auto trial = [&] {
    Progress progress;
    return CaptureTrial::read(request.captures, request.kind,
                              [&](double done) { progress.show(done, "reading"); });
  }();
  if (!trial) return trial;
  for (const std::string& warning : trial->warnings()) warn(warning);
  if (trial->pairs() == 0)
    return failure(fmt::format("{} holds no pairs of kind {}: name another --kind",
                               request.captures.front(), name_of(request.kind)));
  return trial;
}

int finish(const Result<void>& done) {
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

Result<void> compare(const CaptureRequest& request, const std::vector<std::uint64_t>& memories,
                     const std::string& out, const std::string& plot) {
  RunFiles files;
  for (const std::string& capture : request.captures) files.reads(capture);
  std::optional<OutputFile> plot_file;
  if (!plot.empty()) {
    auto opened = files.open(plot);
    if (!opened) return std::unexpected(opened.error().while_doing("--plot"));
    plot_file.emplace(std::move(*opened));
  }
  if (plot != "-")
    if (auto opened = open_output(files); !opened) return opened;
  auto trial = read_trial(request);
  if (!trial) return std::unexpected(trial.error());
  const CompareOptions options{
      .memories = memories, .seeds = request.seeds, .first_seed = request.seed};
  Result<Comparison> comparison;
  {
    Progress progress;
    comparison =
        compare_tables(*trial, options, [&](double done) { progress.show(done, "comparing"); });
  }
  if (!comparison) return std::unexpected(comparison.error());
  const LabReport report = report_of(*comparison, *trial, options);
  std::vector<std::string> paths;
  if (plot_file) paths.push_back(plot);
  const auto write = [&](const std::string& path, const std::string& text) {
    paths.push_back(path);
    return write_file(files, path, text);
  };
  if (!out.empty()) {
    if (auto done = make_folder(out); !done) return done;
    if (auto done = write(out + "/compare-errors.csv", lab_csv(report.tables.front())); !done)
      return done;
    for (const LabFigure& figure : report.figures)
      if (auto done = write(out + "/compare-" + figure.name + ".svg", svg_chart(figure.chart));
          !done)
        return done;
  }
  if (plot_file) {
    plot_file->write(svg_chart(report.figures.front().chart));
    if (auto done = plot_file->finish(); !done) return done;
    if (plot == "-") return {};  // standard output belongs to the picture
  }
  if (request.json) {
    say_text(comparison_json(*comparison, *trial, options, request.captures));
    return {};
  }
  say_text(comparison_text(report, *trial, paths));
  return {};
}

Result<void> tune_capture(const CaptureRequest& request, const AccuracyTarget& target) {
  RunFiles files;
  for (const std::string& capture : request.captures) files.reads(capture);
  if (auto opened = open_output(files); !opened) return opened;
  auto trial = read_trial(request);
  if (!trial) return std::unexpected(trial.error());
  const TuneOptions options{.target = target, .seeds = request.seeds, .first_seed = request.seed};
  Tuning tuning;
  {
    Progress progress;
    tuning = tune(*trial, options, [&](double done) { progress.show(done, "trying tables"); });
  }
  say_text(request.json
               ? tuning_json(tuning, *trial, options, request.captures)
               : tuning_text(tuning, *trial, options, printable(request.captures.front())));
  return {};
}

}  // namespace

void add_lab_compare(CLI::App& lab, Run& run) {
  struct Request : CaptureRequest {
    std::vector<std::uint64_t> memories = {4 << 10, 64 << 10, 1 << 20};
    std::string out, plot;
  };
  const auto request = std::make_shared<Request>();
  CLI::App& command = *lab.add_subcommand(
      "compare", "every table on a capture of your own, against the exact distribution");
  command.footer(compare_examples);
  add_common(command, *request);
  add_parsed(
      command, "--memory", "SIZES", parse_memories,
      [request](const std::vector<std::uint64_t>& sizes) { request->memories = sizes; },
      "with commas between (default 4KiB,64KiB,1MiB)");
  command
      .add_option("--out", request->out,
                  "write the table as CSV and the figures as SVG into this folder")
      ->type_name("FOLDER");
  command.add_option("--plot", request->plot, "the worst error by memory as SVG into this file")
      ->type_name("FILE");
  command.callback([request, &run] {
    if (request->json && request->plot == "-")
      throw CLI::ValidationError("--json and --plot - both want standard output");
    run = [request] {
      return finish(compare(*request, request->memories, request->out, request->plot));
    };
  });
}

void add_lab_tune(CLI::App& lab, Run& run) {
  struct Request : CaptureRequest {
    AccuracyTarget target = *AccuracyTarget::parse("p99 within 10%");
  };
  const auto request = std::make_shared<Request>();
  CLI::App& command = *lab.add_subcommand(
      "tune", "the smallest memory and the table that reach an accuracy on your capture");
  command.footer(tune_examples);
  add_common(command, *request);
  add_parsed(
      command, "--target", "TARGET", &AccuracyTarget::parse,
      [request](const AccuracyTarget& target) { request->target = target; },
      "how accurate (default 'p99 within 10%'); several with commas");
  command.callback([request, &run] {
    run = [request] { return finish(tune_capture(*request, request->target)); };
  });
}

}  // namespace sojourn
