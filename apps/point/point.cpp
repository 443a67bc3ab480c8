// `sojourn point`: from opening the interface to the last message.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "apps/commands.h"
#include "apps/point/point_request.h"
#include "capture/files/open.h"
#include "capture/filtered_source.h"
#include "capture/live/live_source.h"
#include "capture/live/privileges.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/progress.h"
#include "core/units.h"
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
  if (!request.filter.empty()) return "--filter is not in the kernel";
  if (request.kinds_named && request.options.rtt)
    for (const Kind kind : {Kind::quic, Kind::flow})
      if (request.options.rtt->kinds.has(kind))
        return fmt::format("kind {} is not in the kernel", name_of(kind));
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
    if (request.engine == Engine::kernel) return failure(opened.why);
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
  line += fmt::format("  {} {}", exporter.connected() ? "->" : "-x", request.collector.to_string());
  if (counters.records_spooled > 0)
    line += fmt::format(", {} wait", format_count(counters.records_spooled));
  if (counters.records_discarded > 0)
    line += fmt::format(", {} thrown away", format_count(counters.records_discarded));
  return line;
}

/// The ledger of the run, as the last lines of a log.
void say_goodbye(const PointRequest& request, const PointSource& source, const PointRun& run,
                 const ipfix::SpoolCounters& spool) {
  const PointCounters counters = run.counters();
  say("{}: {} packets seen, {} selected, in {} records\n", request.options.point.name,
      format_count(counters.packets_seen), format_count(counters.packets_selected),
      format_count(spool.appended.records));
  say("  to {} over {}: {} records sent, {} left in the spool, {} thrown away\n",
      request.collector.to_string(), name_of(request.collector.transport),
      format_count(spool.appended.records - spool.waiting.records - spool.discarded.records),
      format_count(spool.waiting.records), format_count(spool.discarded.records));
  if (request.options.rtt) {
    say("  {} round trips", format_count(run.samples()));
    if (run.samples_left_out() > 0)
      say(", {} left out: more cells than a report may have", format_count(run.samples_left_out()));
    say("\n");
  }
  if (spool.left_over.records > 0)
    say("  {} records of an earlier run were in the spool, {} of them are still there\n",
        format_count(spool.left_over.records), format_count(spool.left_over_waiting.records));
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
  PointLoop(const PointRequest& request, const PointSource& source, ipfix::Spool& spool,
            ipfix::Exporter& exporter)
      : request_(request),
        source_(*source.source),
        kernel_(source.kernel),
        spool_(spool),
        exporter_(exporter),
        run_(options_for(request, source), spool) {}

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
      for (const std::string& line : exporter_.take_log()) warn(line);
      show(progress, began);
      if (filled.end) break;
      if (!live) let_the_spool_drain();
    }
    run_.finish();
  }

  /// Sends what is left.  The last report counts what waited before it as spooled: when that is
  /// gone, the collector is told so.  False if the collector does not take it all.
  bool send_the_rest(std::chrono::milliseconds patience) {
    const auto end = SteadyClock::now() + patience;
    exporter_.wake();
    while (!spool_.counters().empty() && SteadyClock::now() < end) std::this_thread::sleep_for(5ms);
    if (!spool_.counters().empty()) return exporter_.finish(0s);
    const std::uint64_t lost = spool_.counters().discarded.messages;
    run_.report();
    if (spool_.counters().discarded.messages > lost) {
      // The disk is full of what was sent.  The counters are needed more: without them what was
      // thrown away is in nobody's ledger.
      spool_.forget_sent();
      run_.report();
    }
    return exporter_.finish(std::min<std::chrono::milliseconds>(patience, 10s));
  }

  const PointRun& run() const { return run_; }

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
    while (spool_.bytes_on_disk() > request_.spool_bytes / 2 && exporter_.connected() &&
           !spool_.counters().empty() && !interrupted())
      std::this_thread::sleep_for(5ms);
  }

  const PointRequest& request_;
  Source& source_;
  KernelPoint* kernel_;
  ipfix::Spool& spool_;
  ipfix::Exporter& exporter_;
  PointRun run_;
  SteadyClock::time_point next_line_{};
};

Result<void> measure_at_point(PointRequest request) {
  if (!request.secret_file.empty()) {
    const auto secret = PointSecret::read(request.secret_file);
    if (!secret) return std::unexpected(secret.error());
    request.options.oneway.label.init = secret->init;
    request.options.secret_fingerprint = secret->fingerprint;
  }
  if (!request.spool_folder.empty())
    if (auto made = make_folder(request.spool_folder); !made) return made;
  auto spool = ipfix::Spool::open(
      {request.spool_folder, request.spool_bytes, request.options.point.instance});
  if (!spool) return std::unexpected(spool.error());
  ipfix::ExporterOptions exporting;
  exporting.collector = request.collector;
  exporting.tls = request.tls;
  exporting.writer = request.options.writer;
  auto exporter = ipfix::Exporter::open(exporting, **spool);
  if (!exporter) return std::unexpected(exporter.error());
  auto source = open_packets(request);
  if (!source) return std::unexpected(source.error());
  // All is open that needs them, and no packet has been looked at.
  if (!request.interface.empty())
    if (auto dropped = drop_privileges(); !dropped) return dropped;

  watch_for_interrupts();
  (*exporter)->start();
  PointLoop loop{request, *source, **spool, **exporter};
  loop.measure();
  const bool all_sent = loop.send_the_rest(request.interface.empty() && !interrupted() ? 60s : 5s);
  for (const std::string& line : (*exporter)->take_log()) warn(line);
  const ipfix::SpoolCounters counters = (*spool)->counters();
  say_goodbye(request, *source, loop.run(), counters);
  if (all_sent) {
    (*spool)->forget_sent();
    return {};
  }
  if (counters.empty()) {
    // All was sent, and the session broken off: by a collector that was killed, or refuses us.
    const std::string what =
        fmt::format("{} did not take what was sent last", request.collector.to_string());
    if (request.spool_folder.empty())
      return failure(what + ", which is lost; --spool DIR keeps it");
    warn(fmt::format("{}; it waits in {} for the next start", what, request.spool_folder));
    return {};
  }
  if (request.spool_folder.empty())
    return failure(fmt::format("{} did not take {} records, which are lost; --spool DIR keeps them",
                               request.collector.to_string(),
                               format_count(counters.waiting.records)));
  warn(fmt::format("{} did not take {} records; they wait in {} for the next start",
                   request.collector.to_string(),
                   format_count(counters.waiting.records + counters.left_over_waiting.records),
                   request.spool_folder));
  return {};
}

}  // namespace

int run_point(const PointRequest& request) {
  const auto done = measure_at_point(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace sojourn
