#include "apps/generate_two_point.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string_view>
#include <utility>

#include "apps/commands.h"
#include "apps/option_helpers.h"
#include "capture/capture_writer.h"
#include "console/output.h"
#include "export/files/run_files.h"
#include "export/lab/generated_text.h"
#include "export/oneway/oneway_csv.h"
#include "lab/recorder/record_two_points.h"
#include "lab/two_point_frame.h"

namespace sojourn {
namespace {

Result<double> parse_utilisation(std::string_view text) { return parse_between(text, 0.01, 2); }
Result<double> parse_drift(std::string_view text) { return parse_between(text, -1000, 1000); }

Result<std::uint64_t> parse_points(std::string_view text) { return parse_count(text, 1, 2); }
Result<std::uint64_t> parse_references(std::string_view text) {
  return parse_count(text, 2, 1'000'000);
}

Result<PathKind> parse_path(std::string_view text) {
  if (text == "weibull") return PathKind::weibull;
  if (text == "droptail") return PathKind::droptail;
  if (text == "red") return PathKind::red;
  constexpr std::string_view names[] = {"weibull", "droptail", "red"};
  return unknown_name(text, "path", names);
}

constexpr std::array only_two_points = {
    "--path", "--utilisation", "--duplicates",   "--spikes",      "--ipv6",
    "--vlan", "--references",  "--clock-offset", "--clock-drift", "--clock-jitter"};

/// All that is written, opened before the traffic is made.
struct TwoPointFiles {
  OutputFile first, last, delays, flows;

  static Result<TwoPointFiles> open(const std::string& name) {
    RunFiles files;
    auto first = files.open(name + ".first.pcap", OutputContent::capture);
    if (!first) return std::unexpected(first.error());
    auto last = files.open(name + ".last.pcap", OutputContent::capture);
    if (!last) return std::unexpected(last.error());
    auto delays = files.open(name + ".delays.csv");
    if (!delays) return std::unexpected(delays.error());
    auto flows = files.open(name + ".flows.csv");
    if (!flows) return std::unexpected(flows.error());
    if (auto opened = open_output(files); !opened) return std::unexpected(opened.error());
    return TwoPointFiles{std::move(*first), std::move(*last), std::move(*delays),
                         std::move(*flows)};
  }
};

Result<void> write_captures(const GenerateRequest& request, const TwoPointTrace& trace, bool vlan,
                            TwoPointFiles& files) {
  const TwoPointLook look{.seed = request.seed, .snap_length = request.snap_length, .vlan = vlan};
  CaptureWriter first{[&](std::string_view bytes) { files.first.write(bytes); },
                      LinkType::ethernet};
  CaptureWriter last{[&](std::string_view bytes) { files.last.write(bytes); }, LinkType::ethernet};
  record_first_point(trace, look, first);
  first.flush();
  record_last_point(trace, look, last);
  last.flush();
  if (auto done = files.first.finish(); !done) return done;
  return files.last.finish();
}

Result<void> write_truth(const TwoPointTrace& trace, const TwoPointTruth& truth,
                         TwoPointFiles& files) {
  const auto key_of = [&](std::uint32_t flow) {
    return two_point_flow(flow, trace.flow_is_ipv6[flow]);
  };
  if (auto done = write_delays(std::move(files.delays), truth.delays, key_of); !done) return done;
  return write_flows(std::move(files.flows), truth.flows);
}

}  // namespace

void add_two_point_options(CLI::App& generate, TwoPointRequest& request) {
  TwoPointOptions& options = request.options;
  add_parsed(
      generate, "--points", "NUMBER", parse_points,
      [&](std::uint64_t points) { request.points = static_cast<unsigned>(points); },
      "1: a capture of round trips; 2: two captures of the same traffic,\n"
      "FILE.first.pcap and FILE.last.pcap (default 1)");
  add_parsed(
      generate, "--path", "NAME", parse_path, [&](PathKind path) { options.path = path; },
      "two points: weibull (default), droptail or red between them");
  add_parsed(
      generate, "--utilisation", "SHARE", parse_utilisation,
      [&](double load) { options.utilisation = load; },
      "two points: offered load of droptail and red (default 0.9)");
  add_parsed(
      generate, "--duplicates", "SHARE", parse_any_share,
      [&](double share) { options.duplicates = share; },
      "two points: share of packets that arrive twice (default 0)");
  add_parsed(
      generate, "--spikes", "SHARE", parse_any_share, [&](double share) { options.spikes = share; },
      "two points: share of packets that take 10 ms longer (default 0)");
  add_parsed(
      generate, "--ipv6", "SHARE", parse_any_share, [&](double share) { options.ipv6 = share; },
      "two points: share of flows (default 0.2)");
  generate.add_flag("--vlan", request.vlan, "two points: VLAN tags at the last one only");
  add_parsed(
      generate, "--references", "NUMBER", parse_references,
      [&](std::uint64_t packets) { options.references = static_cast<std::uint32_t>(packets); },
      "two points: an RLI reference packet ahead of every so many packets\n"
      "(default none; they are not in the truth)");
  add_parsed(
      generate, "--clock-offset", "TIME", parse_signed_duration,
      [&](Duration d) { options.last_clock.offset_ns = to_ns(d); },
      "two points: the last one's clock is ahead by this much (default 0)");
  add_parsed(
      generate, "--clock-drift", "PPM", parse_drift,
      [&](double ppm) { options.last_clock.drift_ppm = ppm; },
      "two points: and gains so many microseconds a second (default 0)");
  add_parsed(
      generate, "--clock-jitter", "TIME", parse_duration,
      [&](Duration d) {
        options.first_clock.jitter_ns = options.last_clock.jitter_ns =
            static_cast<double>(d.count());
      },
      "two points: standard deviation of both clocks' readings (default 0)");
}

std::string two_point_contradiction(const GenerateRequest& request, const TwoPointRequest& points,
                                    const CLI::App& generate) {
  const ModelChoice* const model = traffic_model_named(request.model);
  const bool backbone = model && model->backbone;
  if (points.points != 2) {
    if (backbone) return fmt::format("the model {} is for two points: --points 2", request.model);
    for (const char* option : only_two_points)
      if (generate.count(option) > 0)
        return fmt::format("{} is for two points: --points 2", option);
    return {};
  }
  if (!backbone && !request.model.empty())
    return fmt::format(
        "--points 2 has the models {}, not {}",
        listed(traffic_model_names([](const ModelChoice& m) { return !!m.backbone; }), "and"),
        request.model);
  for (const char* option :
       {"--requests", "--rate", "--answered", "--longest", "--flows", "--truth"})
    if (generate.count(option) > 0) return fmt::format("{} means nothing with --points 2", option);
  if (request.capture == "-") return "--points 2 writes several files: name them with FILE";
  if (request.loss && *request.loss > 0.9) return "--loss above 0.9 leaves nothing to measure";
  if (generate.count("--utilisation") > 0 && points.options.path == PathKind::weibull)
    return "--utilisation is for --path droptail and red";
  return {};
}

int run_generate_two_point(const GenerateRequest& request, const TwoPointRequest& points) {
  const auto fail = [](const Error& error) {
    complain(error.message);
    return exit_error;
  };
  auto files = TwoPointFiles::open(request.capture);
  if (!files) return fail(files.error());
  const TwoPointTrace trace = two_point_trace(two_points_of(request, points.options));
  if (auto written = write_captures(request, trace, points.vlan, *files); !written)
    return fail(written.error());
  const TwoPointTruth truth = truth_of(trace);
  if (auto written = write_truth(trace, truth, *files); !written) return fail(written.error());
  say_text(generated_text(request.capture, trace, truth));
  return exit_ok;
}

}  // namespace sojourn
