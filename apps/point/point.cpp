// `sojourn point`: from opening the interface to the last message.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

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
#include "core/units.h"
#include "dataplane/dataplane_options.h"
#include "ipfix/transport/exporter.h"
#include "ipfix/transport/spool.h"
#include "pipeline/point/kernel_point.h"
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
  if (!request.filter.empty()) return "--filter is not in the kernel (--engine socket has it)";
  if (request.kinds_named && request.options.rtt)
    for (std::size_t i = 0; i < kind_count; ++i)
      if (const Kind kind = static_cast<Kind>(i);
          request.options.rtt->kinds.has(kind) && !kernel_kinds().has(kind))
        return fmt::format("kind {} is not in the kernel (--engine socket has it)", name_of(kind));
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
  if (!source) return std::unexpected(source.error());
  opened.source = std::move(*source);
  return opened;
}

/// Round trips are measured where packets are seen: in the kernel, or here.
PointOptions options_for(const PointRequest& request, const PointSource& source) {
  PointOptions options = request.options;
  if (source.kernel) options.rtt.reset();
  return options;
}

/// One line: what passes, what is selected, and where it goes.
std::string status_line(const PointRequest& request, const PointRun& run,
                        const ipfix::Exporter& exporter, double packets_per_second) {
  const PointCounters counters = run.counters();
  std::string line =
      fmt::format("{}: {} packets ({}/s), {} selected, {} records", request.options.point.name,
                  format_count(counters.packets_seen),
                  format_count(static_cast<std::uint64_t>(packets_per_second)),
                  format_count(counters.packets_selected), format_count(counters.records_exported));
  if (request.options.rtt) line += fmt::format(", {} round trips", format_count(run.samples()));
  line += fmt::format("  {} {}", exporter.connected() ? "->" : "-x",
                      request.link.collector.to_string());
  if (counters.records_spooled > 0)
    line += fmt::format(", {} wait", format_count(counters.records_spooled));
  if (counters.records_discarded > 0)
    line += fmt::format(", {} thrown away", format_count(counters.records_discarded));
  return line;
}

/// The ledger of the run, as the last lines of a log.
void say_goodbye(const PointRequest& request, const PointSource& source, const PointRun& run,
                 CollectorLink& link) {
  const PointCounters counters = run.counters();
  say("{}: {} packets seen, {} selected, in {} records\n", request.options.point.name,
      format_count(counters.packets_seen), format_count(counters.packets_selected),
      format_count(link.spool().counters().appended.records));
  say_text(link.text());
  if (request.options.rtt) {
    say("  {} round trips", format_count(run.samples()));
    if (run.samples_left_out() > 0)
      say(", {} left out: more cells than a report may have", format_count(run.samples_left_out()));
    say("\n");
  }
  if (source.kernel)
    say("  selected in the kernel, {}; {} packets could only be judged outside of it\n",
        source.kernel->how(), format_count(source.kernel->undecided()));
  else if (!source.why.empty())
    say("  selected from a socket: {}\n", source.why);
  if (source.kernel && source.kernel->samples_missed() > 0)
    say("  {} round trips were missed: their ring was full\n",
        format_count(source.kernel->samples_missed()));
  if (counters.packets_dropped > 0)
    say("  the kernel dropped {} packets before they could be read\n",
        format_count(counters.packets_dropped));
}

class PointLoop {
 public:
  PointLoop(const PointRequest& request, const PointSource& source, CollectorLink& link)
      : request_(request),
        source_(*source.source),
        kernel_(source.kernel),
        link_(link),
        spool_(link.spool()),
        exporter_(link.exporter()),
        run_(options_for(request, source), link.spool()) {}

  void measure() {
    const bool live = !request_.interface.empty();
    const auto began = SteadyClock::now();
    std::vector<Packet> batch(256);
    Progress progress;
    while (!interrupted() &&
           (!request_.duration || SteadyClock::now() - began < *request_.duration)) {
      const Source::Filled filled = source_.next(batch);
      run_.process({batch.data(), filled.count});
      run_.note_drops(source_.counters().kernel_drops);
      if (kernel_) {
        run_.take(kernel_->samples());
        run_.note_passed_over(kernel_->not_selected());
      }
      const bool reported = live ? run_.advance(std::chrono::time_point_cast<Duration>(
                                       std::chrono::system_clock::now()))
                                 : filled.count > 0 && run_.advance(batch[filled.count - 1].time);
      if (reported) exporter_.wake();
      link_.say_log();
      show(progress, began);
      is_over_ = filled.end;
      if (filled.end) break;
      if (!live) let_the_spool_drain();
    }
    run_.finish();
  }

  void report() { run_.report(); }
  const PointRun& run() const { return run_; }
  /// Did the source end, and not the user?
  bool is_over() const { return is_over_; }

 private:
  void show(Progress& progress, SteadyClock::time_point began) {
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - began).count();
    if (SteadyClock::now() < next_line_) return;
    next_line_ = SteadyClock::now() + 200ms;
    progress.show(-1, status_line(request_, run_, exporter_,
                                  static_cast<double>(source_.counters().packets) /
                                      std::max(seconds, 0.001)));
  }

  /// A capture is read faster than any network: it waits where an interface could not.
  void let_the_spool_drain() const {
    while (spool_.bytes_on_disk() > request_.link.spool_bytes / 2 && exporter_.connected() &&
           !spool_.counters().empty() && !interrupted())
      std::this_thread::sleep_for(5ms);
  }

  const PointRequest& request_;
  Source& source_;
  KernelPoint* kernel_;
  CollectorLink& link_;
  ipfix::Spool& spool_;
  ipfix::Exporter& exporter_;
  PointRun run_;
  bool is_over_ = false;
  SteadyClock::time_point next_line_{};
};

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
  PointLoop loop{request, *source, **link};
  loop.measure();
  const bool all_sent = (*link)->send_the_rest(
      request.interface.empty() && !interrupted() ? 60s : 5s, [&] { loop.report(); });
  (*link)->say_log();
  say_goodbye(request, *source, loop.run(), **link);
  const bool is_gone = !request.interface.empty() && loop.is_over();
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
