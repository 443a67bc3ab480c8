// A point for reference packets: from loading the programs to the last line.

#include "apps/point/point_reference.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "apps/point/point_clock.h"
#include "capture/live/live_socket.h"
#include "capture/live/privileges.h"
#include "console/exit_status.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "console/this_process.h"
#include "export/files/run_files.h"
#include "export/reference/reference_report.h"
#include "pipeline/point/run_reports.h"
#include "pipeline/reference/reference_observing.h"

namespace sojourn {
namespace {

using ReferenceClock = std::chrono::steady_clock;

Result<AttachmentPoint> find_ethernet(const std::string& name) {
  const auto found = LiveInterface::find(name);
  if (!found) return std::unexpected(found.error());
  if (found->framing == Framing::none)
    return failure(name + ": reference packets need Ethernet; this interface has no such headers");
  return AttachmentPoint{name, found->index, found->framing == Framing::loopback};
}

/// Where intervals go: to the terminal, into files, to a collector.
class ReferenceOutputs {
 public:
  /// What cannot be written is refused before anything is attached to the interface.
  static Result<ReferenceOutputs> open(const PointReferenceRequest& request) {
    ReferenceOutputs outputs{request};
    RunFiles files;
    if (request.to) note_files_of(*request.to, files);
    if (!request.flows.empty()) {
      auto opened = files.open(request.flows);
      if (!opened) return std::unexpected(opened.error().while_doing("--flows"));
      outputs.csv_.emplace(std::move(*opened));
    }
    if (request.flows != "-")
      if (auto opened = open_output(files); !opened) return std::unexpected(opened.error());
    if (request.to) {
      auto opened = CollectorLink::open(*request.to);
      if (!opened) return std::unexpected(opened.error());
      outputs.link_ = std::move(*opened);
    }
    return outputs;
  }

  /// The last step that needs privileges.
  Result<void> hold_places() {
    if (!csv_) return {};
    if (auto held = csv_->hold_place(); !held) return held;
    csv_->write(reference_csv_header());
    return {};
  }

  /// The collector hears at once that there is a point.
  void start() {
    if (!link_) return;
    const ReferenceRun run{
        .since = wall_clock(), .every = request_->every, .clock_error = stated_clock_error()};
    reports_ =
        std::make_unique<ReferenceReports>(PointIdentity{request_->name, request_->to->instance},
                                           run, request_->to->writer, link_->spool());
    link_->exporter().start();
    reports_->report(wall_clock(), 0);
    link_->exporter().wake();
  }
  void say_log() {
    if (link_) link_->say_log();
  }
  void take(const ReferenceInterval& interval) {
    if (csv_) csv_->write(reference_csv(interval));
    if (reports_) {
      left_alone_ += interval.seen->without_flow();
      reports_->take(interval);
      if (reports_->advance(wall_clock(), left_alone_)) link_->exporter().wake();
    }
    if (request_->json)
      say_text(reference_json(interval, "interface", request_->interface));
    else if (!quiet())
      say_text(reference_text(interval, reference_heading(interval.begin, request_->interface),
                              request_->top));
  }
  /// Nobody reads a table beside CSV, or beside what the collector gets.
  bool quiet() const { return request_->flows == "-" || (link_ && !request_->json); }

  /// The file, the rest to the collector, and the last words about it.
  Result<void> finish() {
    using namespace std::chrono_literals;
    Result<void> sent;
    if (link_) {
      reports_->finish(wall_clock(), left_alone_);
      const bool all_sent =
          link_->send_the_rest(5s, [&] { reports_->report(wall_clock(), left_alone_); });
      link_->say_log();
      if (request_->flows != "-" && !request_->json)
        say_text(link_->summary(request_->name, reports_->packets()));
      sent = link_->account_for_the_rest(all_sent);
    }
    if (csv_)
      if (auto written = csv_->finish(); !written) return written;
    return sent;
  }

 private:
  explicit ReferenceOutputs(const PointReferenceRequest& request) : request_(&request) {}

  const PointReferenceRequest* request_;
  std::optional<OutputFile> csv_;
  std::unique_ptr<CollectorLink> link_;
  std::unique_ptr<ReferenceReports> reports_;
  std::uint64_t left_alone_ = 0;  ///< packets of no flow
};

Result<void> exchange_references(const PointReferenceRequest& request) {
  auto outputs = ReferenceOutputs::open(request);
  if (!outputs) return std::unexpected(outputs.error());
  const auto point = find_ethernet(request.interface);
  if (!point) return std::unexpected(point.error());
  std::optional<ReferenceSending> sending;
  std::optional<ReferenceObserving> observing;
  if (request.send) {
    auto opened = ReferenceSending::open(*point, request.sending);
    if (!opened) return failure(with_capability_advice(opened.error().message));
    sending.emplace(std::move(*opened));
  }
  if (request.observe) {
    auto opened = ReferenceObserving::open(*point, request.receiving);
    if (!opened) return failure(with_capability_advice(opened.error().message));
    observing.emplace(std::move(*opened));
  }
  if (auto held = outputs->hold_places(); !held) return held;
  // All is open that needs them, and no packet has been looked at.
  if (auto dropped = drop_privileges(); !dropped) return dropped;
  watch_for_interrupts();

  const auto began = ReferenceClock::now();
  const auto ended = [&] {
    outputs->say_log();
    return interrupted() ||
           (request.duration && ReferenceClock::now() - began >= *request.duration) ||
           (sending ? sending->is_gone() : observing->is_gone());
  };
  std::atomic<bool> stop{false};
  std::thread sender;
  if (sending) sender = sending->start(stop);
  outputs->start();
  if (observing) {
    observing->run(request.every, ended,
                   [&](const ReferenceInterval& interval) { outputs->take(interval); });
  } else {
    while (!ended()) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  stop = true;
  if (sender.joinable()) sender.join();
  if (sending && request.flows != "-")
    say_text(request.json ? reference_sent_json(request.interface, sending->counters())
                          : reference_sent_text(
                                request.interface, sending->destination(), sending->counters(),
                                request.sending.generator.scheme == Injection::adaptive));
  const bool is_gone = sending ? sending->is_gone() : observing->is_gone();
  if (observing && observing->counters().references == 0 && !is_gone)
    warn(
        "no reference packets came in: nothing could be measured; does a point send them "
        "(--reference), and do they come by this interface?");
  if (auto finished = outputs->finish(); !finished) return finished;
  if (is_gone) return failure(request.interface + ": the interface is gone");
  if (sending)
    if (const auto sent = sending->counters(); sent.references == 0 && sent.refusal != 0)
      return failure(fmt::format("no reference packet could be sent to {} by {}: {}",
                                 sending->destination(), request.interface,
                                 std::strerror(sent.refusal)));
  return flush_output();
}

}  // namespace

int run_point_reference(const PointReferenceRequest& request) {
  const auto done = exchange_references(request);
  if (done) return exit_ok;
  complain(done.error().message);
  return exit_error;
}

}  // namespace sojourn
