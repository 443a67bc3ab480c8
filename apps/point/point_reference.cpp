// A point for reference packets: from loading the programs to the last line.

#include "apps/point/point_reference.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "capture/live/live_socket.h"
#include "capture/live/privileges.h"
#include "console/exit_status.h"
#include "console/interrupt.h"
#include "console/output.h"
#include "core/units.h"
#include "export/files/output_file.h"
#include "export/reference/reference_report.h"

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

void say_sent(const PointReferenceRequest& request, const ReferenceSending& sending) {
  const ReferenceSendingCounters sent = sending.counters();
  std::string line =
      fmt::format("{}: {} reference packets sent to {}, {} others passed", request.interface,
                  format_count(sent.references), sending.destination(), format_count(sent.packets));
  if (sent.references > 0 && sent.packets >= sent.references)
    line += fmt::format(" (one for {})", format_count(sent.packets / sent.references));
  if (sent.unsent > 0) line += fmt::format(", {} could not be sent", format_count(sent.unsent));
  if (request.sending.generator.scheme == Injection::adaptive)
    line += fmt::format(", the link was {:.0f} % busy", 100 * sent.utilisation);
  if (request.json)
    say("{{\"interface\":\"{}\",\"sent\":{},\"unsent\":{},\"packets\":{}}}\n", request.interface,
        sent.references, sent.unsent, sent.packets);
  else
    say("{}\n", line);
}

Result<void> exchange_references(const PointReferenceRequest& request) {
  const auto point = find_ethernet(request.interface);
  if (!point) return std::unexpected(point.error());
  std::optional<ReferenceSending> sending;
  std::optional<ReferenceObserving> observing;
  std::optional<OutputFile> csv;
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
  if (!request.flows.empty()) {
    auto opened = OutputFile::open(request.flows);
    if (!opened) return std::unexpected(opened.error());
    csv.emplace(std::move(*opened));
    if (auto held = csv->hold_place(); !held) return held;
    csv->write(reference_csv_header());
  }
  // All is open that needs them, and no packet has been looked at.
  if (auto dropped = drop_privileges(); !dropped) return dropped;
  watch_for_interrupts();

  const auto began = ReferenceClock::now();
  const auto ended = [&] {
    return interrupted() ||
           (request.duration && ReferenceClock::now() - began >= *request.duration) ||
           (sending ? sending->is_gone() : observing->is_gone());
  };
  std::atomic<bool> stop{false};
  std::thread sender;
  if (sending) sender = sending->start(stop);
  if (observing) {
    observing->run(request.every, ended, [&](const ReferenceInterval& interval) {
      if (csv) csv->write(reference_csv(interval));
      if (request.json)
        say_text(reference_json(interval, request.interface));
      else if (request.flows != "-")
        say_text(reference_text(interval, request.interface, request.top));
    });
  } else {
    while (!ended()) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  stop = true;
  if (sender.joinable()) sender.join();
  if (sending && request.flows != "-") say_sent(request, *sending);
  const bool is_gone = sending ? sending->is_gone() : observing->is_gone();
  if (observing && observing->counters().references == 0 && !is_gone)
    warn(
        "no reference packets came in: nothing could be measured; does a point send them "
        "(--reference), and do they come by this interface?");
  if (csv)
    if (auto written = csv->finish(); !written) return written;
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
