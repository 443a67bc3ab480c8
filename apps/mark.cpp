// `sojourn mark`: from opening the captures to the exit status.

#include <fmt/format.h>

#include "apps/commands.h"
#include "apps/mark_request.h"
#include "apps/progress.h"
#include "capture/files/open.h"
#include "capture/source_warnings.h"
#include "export/marking/mark_text.h"
#include "pipeline/marking/mark_capture.h"

namespace sojourn {
namespace {

Result<void> mark(const MarkRequest& request) {
  auto source = open_capture(request.input);
  if (!source) return std::unexpected(source.error());
  auto marker = Marker::make(request.options);
  if (!marker) return std::unexpected(marker.error());
  {
    Progress progress;
    const auto done = mark_capture(**source, request.input, **marker, request.output, [&] {
      progress.show((*source)->progress(), (*source)->counters().packets);
    });
    if (!done && (*marker)->met_used_carrier())
      return failure(done.error().message + "; --force overwrites it, or choose another --carrier");
    if (!done) return done;
  }
  for (const std::string& warning : all_warnings(**source))
    fmt::print(stderr, "sojourn: warning: {}\n", warning);
  fmt::print(request.output == "-" ? stderr : stdout, "{}",
             mark_text(request.output, request.options, (*marker)->counters()));
  return {};
}

}  // namespace

int run_mark(const MarkRequest& request) {
  const auto done = mark(request);
  if (done) return exit_ok;
  fmt::print(stderr, "sojourn: {}\n", done.error().message);
  return exit_error;
}

}  // namespace sojourn
