// `sojourn point`: from opening the interface to the last message.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "apps/commands.h"
#include "apps/point/collector_link.h"
#include "apps/point/point_request.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "console/this_process.h"
#include "dataplane/dataplane_options.h"
#include "export/kernel_refusal.h"
#include "export/point/point_text.h"
#include "ipfix/transport/exporter.h"
#include "pipeline/point/kernel_point.h"
#include "pipeline/point/point_loop.h"
#include "pipeline/point/point_run.h"
#include "pipeline/point/point_secret.h"

namespace sojourn {
namespace {

using SteadyClock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Where the packets come from.
struct PointSource {
  std::unique_ptr<Source> source;
  KernelPoint* kernel = nullptr;  ///< the same, if the kernel selects
  std::string why;                ///< why it does not, if the user left it open
};

std::string beyond_the_kernel(const PointRequest& request) {
  if (!request.filter.empty()) return only_in_socket("--filter");
  if (request.kinds_named && request.options.rtt)
    for (std::size_t i = 0; i < kind_count; ++i)
      if (const Kind kind = static_cast<Kind>(i);
          request.options.rtt->kinds.has(kind) && !kernel_kinds().has(kind))
        return only_in_socket(fmt::format("kind {}", name_of(kind)));
  return beyond_the_kernel(request.options.oneway);
}

Result<std::unique_ptr<KernelPoint>> open_in_kernel(const PointRequest& request) {
  KernelPointOptions options{.interface = request.interface, .oneway = request.options.oneway};
  if (request.options.rtt)
    options.rtt = KernelRttOptions{.rtt = *request.options.rtt,
                                   .interfaces = {request.interface},
                                   .memory_bytes = request.rtt_memory};
  return KernelPoint::open(options);
}

Result<PointSource> open_packets(const PointRequest& request) {
  PointSource opened;
  if (!request.interface.empty() && request.engine != Engine::socket) {
    opened.why = beyond_the_kernel(request);
    if (opened.why.empty()) {
      auto kernel = open_in_kernel(request);
      if (kernel) {
        opened.kernel = kernel->get();
        opened.source = std::move(*kernel);
        return opened;
      }
      opened.why = kernel.error().message;
    }
    if (request.engine == Engine::kernel) return failure(with_capability_advice(opened.why));
  }
  auto source = request.interface.empty() ? open_capture(request.capture)
                                          : open_interfaces({.interfaces = {request.interface}});
  if (source && !request.filter.empty())
    source = FilteredSource::open(std::move(*source), request.filter);
  if (!source) return failure(with_capability_advice(source.error().message));
  opened.source = std::move(*source);
  return opened;
}

/// Round trips are measured where packets are seen: in the kernel, or here.
PointOptions options_for(const PointRequest& request, const PointSource& source) {
  PointOptions options = request.options;
  if (source.kernel) options.rtt.reset();
  return options;
}

PointFigures figures_of(const PointRequest& request, const PointRun& run) {
  PointFigures figures{.name = request.options.point.name,
                       .counters = run.counters(),
                       .round_trips_left_out = run.samples_left_out()};
  if (request.options.rtt) figures.round_trips = run.samples();
  return figures;
}

PointSelecting selecting_of(const PointSource& source) {
  if (!source.kernel) return {.in_kernel = {}, .why_in_socket = source.why};
  return {.in_kernel = source.kernel->how(),
          .why_in_socket = {},
          .undecided = source.kernel->undecided(),
          .round_trips_missed = source.kernel->samples_missed()};
}

/// Shows a line about the run, some times a second.
class StatusView {
 public:
  StatusView(const PointRequest& request, const Source& source, const PointRun& run,
             const ipfix::Exporter& exporter)
      : request_(request), source_(source), run_(run), exporter_(exporter) {}

  void show() {
    const auto now = SteadyClock::now();
    if (now < next_line_) return;
    next_line_ = now + 200ms;
    const double seconds = std::chrono::duration<double>(now - began_).count();
    const double rate = static_cast<double>(source_.counters().packets) / std::max(seconds, 0.001);
    progress_.show(-1, point_status(figures_of(request_, run_), rate, request_.link.collector,
                                    exporter_.connected()));
  }

 private:
  const PointRequest& request_;
  const Source& source_;
  const PointRun& run_;
  const ipfix::Exporter& exporter_;
  Progress progress_;
  SteadyClock::time_point began_ = SteadyClock::now(), next_line_{};
};

/// True if the source ended, and not the user.
bool measure(const PointRequest& request, const PointSource& source, PointRun& run,
             CollectorLink& link) {
  PointFeed feed{.source = *source.source, .kernel = source.kernel};
  const bool live = !request.interface.empty();
  if (live) feed.clock = wall_clock;
  StatusView view{request, *source.source, run, link.exporter()};
  const auto began = SteadyClock::now();
  const GoOn go_on = [&] {
    link.say_log();
    view.show();
    if (!live)
      wait_for_room(link.spool(), request.link.spool_bytes, interrupted(),
                    [&] { return link.exporter().connected(); });
    return !request.duration || SteadyClock::now() - began < *request.duration;
  };
  return feed_point(feed, run, interrupted(), go_on, [&] { link.exporter().wake(); });
}

Result<void> measure_at_point(PointRequest request) {
  RunFiles files;
  files.reads(request.capture);
  files.reads(request.secret_file);
  note_files_of(request.link, files);
  if (auto opened = open_output(files); !opened) return opened;
  if (!request.secret_file.empty()) {
    const auto secret = PointSecret::read(request.secret_file);
    if (!secret) return std::unexpected(secret.error());
    request.options.oneway.label.init = secret->init;
    request.options.secret_fingerprint = secret->fingerprint;
  }
  request.link.instance = request.options.point.instance;
  request.link.writer = request.options.writer;
  auto link = CollectorLink::open(request.link);
  if (!link) return std::unexpected(link.error());
  auto source = open_packets(request);
  if (!source) return std::unexpected(source.error());
  // All is open that needs them, and no packet has been looked at.
  if (!request.interface.empty())
    if (auto dropped = drop_privileges(); !dropped) return dropped;

  watch_for_interrupts();
  (*link)->exporter().start();
  PointRun run{options_for(request, *source), (*link)->spool()};
  const bool is_over = measure(request, *source, run, **link);
  const bool all_sent = (*link)->send_the_rest(
      request.interface.empty() && !interrupted() ? 60s : 5s, [&] { run.report(); });
  (*link)->say_log();
  say_text(point_summary(figures_of(request, run), selecting_of(*source), request.link.collector,
                         (*link)->spool().counters()));
  const bool is_gone = !request.interface.empty() && is_over;
  if (is_gone && !all_sent) warn(request.interface + ": the interface is gone");
  const auto done = (*link)->account_for_the_rest(all_sent);
  if (is_gone && all_sent) return failure(request.interface + ": the interface is gone");
  return done;
}

}  // namespace

int run_point(const PointRequest& request) {
  const auto done = measure_at_point(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace sojourn
