// A point for reference packets: from loading the programs to the last line.

#include "apps/point/point_reference.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
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

/// Where the kernel wants a capability, the line of setcap(8) that grants it.
Error with_advice(const Error& error) {
  if (error.message.find("CAP_BPF") == std::string::npos) return error;
  return Error{
      error.message +
      ": be root, or give this program cap_bpf,cap_net_admin,cap_perfmon,cap_net_raw by setcap"};
}

void say_sent(const PointReferenceRequest& request, const ReferenceSending& sending) {
  const ReferenceSendingCounters sent = sending.counters();
  std::string line =
      fmt::format("{}: {} reference packets sent to {}, {} others passed", request.interface,
                  format_count(sent.references), sending.destination(), format_count(sent.packets));
  if (sent.packets > 0)
    line += fmt::format(" ({:.3g} %)", 100.0 * static_cast<double>(sent.references) /
                                           static_cast<double>(sent.packets));
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
    if (!opened) return std::unexpected(with_advice(opened.error()));
    sending.emplace(std::move(*opened));
  }
  if (request.observe) {
    auto opened = ReferenceObserving::open(*point, request.receiving);
    if (!opened) return std::unexpected(with_advice(opened.error()));
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
  if (sending ? sending->is_gone() : observing->is_gone())
    warn(request.interface + ": the interface is gone");
  if (observing && observing->counters().references == 0)
    warn(
        "no reference packets came in: nothing could be measured; does a point send them "
        "(--reference), and do they come by this interface?");
  if (csv)
    if (auto written = csv->finish(); !written) return written;
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
