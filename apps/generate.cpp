// `sojourn generate`: writes a capture, and the true delays in it beside it.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "apps/commands.h"
#include "apps/generate_request.h"
#include "capture/capture_writer.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "export/files/run_files.h"
#include "export/lab/generated_text.h"
#include "export/sample_csv.h"
#include "lab/border_mix.h"
#include "lab/query_load.h"
#include "lab/recorder/record_traffic.h"
#include "lab/tcp_traffic.h"

namespace sojourn {
namespace {

double in_seconds(Duration duration) { return static_cast<double>(duration.count()) * 1e-9; }

std::unique_ptr<TrafficModel> make_query_load(const GenerateRequest& request, bool bursts) {
  QueryLoadOptions options;
  if (bursts) {
    // The rate and the answered share of FRIDGE's border link, in and out of bursts (METHODS: L4).
    options = {.requests = 1'000'000,
               .rate = 6.1e6 / 11.4,
               .answered = 0.13,
               .longest_ms = 0,
               .burst_rate = 4,
               .burst_delay = 5};
  }
  options.rate = request.rate.value_or(options.rate);
  options.requests = request.requests.value_or(options.requests);
  if (request.duration)
    options.requests = static_cast<std::uint64_t>(in_seconds(*request.duration) * options.rate);
  options.answered = request.answered.value_or(options.answered);
  if (request.longest) options.longest_ms = in_seconds(*request.longest) * 1e3;
  options.snap_length = request.snap_length;
  options.seed = request.seed;
  return std::make_unique<QueryLoad>(options);
}

std::unique_ptr<TrafficModel> make_border_mix(const GenerateRequest& request) {
  BorderMixOptions options;
  const double flows_a_packet =
      static_cast<double>(options.flows) / static_cast<double>(options.packets);
  const double packets_a_second = static_cast<double>(options.packets) / options.seconds;
  options.packets = request.packets.value_or(
      request.duration
          ? static_cast<std::uint64_t>(in_seconds(*request.duration) * packets_a_second)
          : options.packets);
  options.seconds = request.duration ? in_seconds(*request.duration)
                                     : static_cast<double>(options.packets) / packets_a_second;
  options.flows = request.flows.value_or(
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(options.packets) * flows_a_packet)));
  options.snap_length = request.snap_length;
  options.seed = request.seed;
  return std::make_unique<BorderMix>(options);
}

std::unique_ptr<TrafficModel> make_tcp_traffic(const GenerateRequest& request) {
  TcpTrafficOptions options;
  options.packets =
      request.packets.value_or(request.flows ? *request.flows * 100 : options.packets);
  options.flows = request.flows.value_or(std::max<std::uint64_t>(1, options.packets / 100));
  if (request.duration) options.seconds = in_seconds(*request.duration);
  options.loss = request.loss.value_or(options.loss);
  options.reorder = request.reorder.value_or(options.reorder);
  options.snap_length = request.snap_length;
  options.seed = request.seed;
  return std::make_unique<TcpTraffic>(options);
}

std::unique_ptr<TrafficModel> make_model(const GenerateRequest& request) {
  if (request.model == "isp") return make_border_mix(request);
  if (request.model == "tcp") return make_tcp_traffic(request);
  return make_query_load(request, request.model == "bursts");
}

Result<RecordedTraffic> generate(const GenerateRequest& request) {
  RunFiles files;
  auto capture_file = files.open(request.capture, OutputContent::capture);
  if (!capture_file) return std::unexpected(capture_file.error());
  auto truth_file = files.open(request.truth);
  if (!truth_file) return std::unexpected(truth_file.error().while_doing("--truth"));
  if (request.capture != "-" && request.truth != "-")
    if (auto opened = open_output(files); !opened) return std::unexpected(opened.error());
  CaptureWriter capture{[&](std::string_view bytes) { capture_file->write(bytes); },
                        LinkType::ethernet};
  SampleCsvWriter truth{*truth_file};

  const auto model = make_model(request);
  watch_for_interrupts();
  Progress progress;
  const RecordedTraffic made = record_traffic(*model, capture, truth, [&](std::uint64_t packets) {
    progress.show(model->progress(), packets);
    return !interrupted() && !capture_file->failed() && !truth_file->failed();
  });
  capture.flush();
  truth.flush();
  if (auto done = capture_file->finish(); !done) return std::unexpected(done.error());
  if (auto done = truth_file->finish(); !done) return std::unexpected(done.error());
  if (interrupted()) return failure("interrupted: the capture and its truth end early");
  return made;
}

}  // namespace

int run_generate(const GenerateRequest& request) {
  const auto made = generate(request);
  if (!made) {
    complain(made.error().message);
    return exit_error;
  }
  if (OutputFile::reader_gone()) return exit_ok;
  const std::string summary =
      generated_text({request.capture, request.truth, request.model, request.seed}, *made);
  if (request.capture == "-" || request.truth == "-")
    std::fputs(summary.c_str(), stderr);
  else
    say_text(summary);
  return exit_ok;
}

}  // namespace sojourn
