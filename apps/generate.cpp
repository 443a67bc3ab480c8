// `sojourn generate`: writes a capture, and the true delays in it beside it.

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
#include "lab/recorder/record_traffic.h"
#include "lab/recorder/traffic_presets.h"

namespace sojourn {
namespace {

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

  const auto made_model = make_traffic(request);
  if (!made_model) return std::unexpected(made_model.error());
  TrafficModel& model = **made_model;
  watch_for_interrupts();
  Progress progress;
  const RecordedTraffic made = record_traffic(model, capture, truth, [&](std::uint64_t packets) {
    progress.show(model.progress(), packets);
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
    say_text_aside(summary);
  else
    say_text(summary);
  return exit_ok;
}

}  // namespace sojourn
