#include "pipeline/marking/live_marking.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "capture/live/live_socket.h"
#include "core/units.h"

namespace sojourn {
namespace {

Result<void> check_guard_band(const LiveMarkingOptions& options) {
  const MarkingSetup& setup = options.program.setup;
  const Duration guard = options.clock_error + options.largest_delay;
  if (guard < marking_room(setup.method, setup.length)) return {};
  for (int exponent = setup.length.exponent() + 1; exponent <= MarkingInterval::longest; ++exponent)
    if (guard < marking_room(setup.method, MarkingInterval{exponent}))
      return failure(fmt::format(
          "intervals of {} leave {} for delay and clock error, which may be {}: take intervals of "
          "{}",
          setup.length.name(), format_duration(marking_room(setup.method, setup.length)),
          format_duration(guard), MarkingInterval{exponent}.name()));
  return failure(fmt::format("delay and clock error may be {}: no interval is long enough",
                             format_duration(guard)));
}

}  // namespace

Duration marking_room(MarkingMethod method, MarkingInterval length) {
  return method == MarkingMethod::multiplexed ? length.length() / 4 : length.length() / 2;
}

Result<LiveMarking> LiveMarking::start(const LiveMarkingOptions& options) {
  if (auto fits = check_guard_band(options); !fits) return std::unexpected(fits.error());
  const auto interface = LiveInterface::find(options.interface);
  if (!interface) return std::unexpected(interface.error());
  if (interface->framing == Framing::none)
    return failure(options.interface +
                   ": marking reads Ethernet; this interface has no such headers");
  UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (!socket) return failure(std::string{"cannot open a socket: "} + std::strerror(errno));
  auto program = MarkingProgram::load(options.program);
  if (!program) return std::unexpected(program.error());
  if (auto started = program->start_clock(); !started) return std::unexpected(started.error());
  const AttachmentPoint point{options.interface, interface->index,
                              interface->framing == Framing::loopback};
  auto attachment = Attachment::attach_tc(program->descriptor(), point, options.direction);
  if (!attachment) return std::unexpected(attachment.error());
  return LiveMarking{options, std::move(*program), std::move(*attachment), std::move(socket)};
}

LiveMarking::LiveMarking(const LiveMarkingOptions& options, MarkingProgram program,
                         Attachment attachment, UniqueFd socket)
    : interface_(options.interface),
      length_(options.program.setup.length),
      program_(std::move(program)),
      attachment_(std::move(attachment)),
      socket_(std::move(socket)),
      since_(program_.now()),
      reader_(length_, since_) {}

/// IFF_RUNNING follows up to a second later (the kernel's link watch), so the driver is asked.
bool LiveMarking::is_down() const {
  ifreq request{};
  interface_.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(socket_.get(), SIOCGIFFLAGS, &request) != 0) return true;
  const auto flags = request.ifr_flags;
  ethtool_value link{.cmd = ETHTOOL_GLINK, .data = 0};
  request.ifr_data = reinterpret_cast<char*>(&link);
  if ((flags & IFF_UP) != 0 && ::ioctl(socket_.get(), SIOCETHTOOL, &request) == 0)
    return link.data == 0;
  return (flags & IFF_RUNNING) == 0;
}

std::vector<MarkingReport> LiveMarking::with_turn_lateness(std::vector<MarkingReport> reports) {
  if (reports.empty()) return reports;
  const Duration lateness = program_.take_turn_lateness();
  if (lateness * 512 <= length_.length()) return reports;
  for (MarkingReport& report : reports)
    for (MarkingRecord& record : report.records) record.late = std::max(record.late, lateness);
  return reports;
}

std::vector<MarkingReport> LiveMarking::advance() {
  return with_turn_lateness(reader_.advance(program_, is_down(), program_.follow_clock()));
}

std::vector<MarkingReport> LiveMarking::finish() {
  return with_turn_lateness(reader_.finish(program_, is_down(), program_.follow_clock()));
}

}  // namespace sojourn
