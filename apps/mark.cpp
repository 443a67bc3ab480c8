// `sojourn mark`: from opening the captures to the exit status.

#include <cstdio>
#include <string>
#include <string_view>

#include "apps/commands.h"
#include "apps/mark_request.h"
#include "capture/files/open.h"
#include "capture/source_warnings.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "core/printable.h"
#include "export/files/run_files.h"
#include "export/marking/mark_text.h"
#include "pipeline/marking/mark_capture.h"

namespace sojourn {
namespace {

Result<void> mark(const MarkRequest& request) {
  auto source = open_capture(request.input);
  if (!source) return std::unexpected(source.error());
  auto marker = Marker::make(request.options);
  if (!marker) return std::unexpected(marker.error());
  RunFiles files;
  files.reads(request.input);
  auto output = files.open(request.output, OutputContent::capture);
  if (!output) return std::unexpected(output.error());
  watch_for_interrupts();
  {
    Progress progress;
    const auto done = mark_capture(
        **source, request.input, **marker, [&](std::string_view bytes) { output->write(bytes); },
        interrupted(),
        [&] {
          if (output->failed()) stop_reading();
          progress.show((*source)->progress(), (*source)->counters().packets);
        });
    if (!done && (*marker)->met_used_carrier())
      return failure(done.error().message + "; --force overwrites it, or choose another --carrier");
    if (!done) return done;
  }
  if (auto finished = output->finish(); !finished) return finished;
  for (const std::string& warning : all_warnings(**source)) warn(warning);
  if (OutputFile::reader_gone()) return {};
  if (interrupted()) return failure("interrupted: " + request.output + " ends early");
  const std::string text =
      mark_text(printable(request.output), request.options, (*marker)->counters());
  if (request.output == "-")
    std::fputs(text.c_str(), stderr);
  else
    say_text(text);
  return {};
}

}  // namespace

int run_mark(const MarkRequest& request) {
  const auto done = mark(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace sojourn
