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
      next_(length_.at(since_).interval - 1),
      last_look_(next_ + 1) {}

Timestamp LiveMarking::next_due() const {
  return length_.start_of(next_ + 1) + length_.length() / 2;
}

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

void LiveMarking::look_at_link(std::int64_t interval) {
  const bool down = is_down();
  // Since the last look, or until now.
  if (down || was_down_)
    for (std::int64_t i = last_look_; i <= interval; ++i) down_.insert(i);
  was_down_ = down;
  last_look_ = interval;
}

MarkingReport LiveMarking::read(std::int64_t interval, Timestamp now) {
  MarkingReport report{.interval = interval, .read_at = now, .doubt = {}, .records = {}};
  program_.take(interval, now, report.records);
  // A colour that turned late is as good as packets that came late.
  turn_lateness_ = std::max(turn_lateness_, program_.take_turn_lateness());
  if (turn_lateness_ * 512 > length_.length())
    for (MarkingRecord& record : report.records)
      record.late = std::max(record.late, turn_lateness_);
  return report;
}

std::vector<MarkingReport> LiveMarking::advance() {
  const Timestamp now = program_.now();
  const std::int64_t current = length_.at(now).interval;
  // A clock that was set: what lies between is not recorded.
  if (next_ > current + 1 || next_ < current - program_.slots()) {
    down_.clear();
    last_look_ = current;
    next_ = current - 1;
  }
  look_at_link(current);
  std::vector<MarkingReport> reports;
  for (; now >= next_due(); ++next_) {
    MarkingReport report = read(next_, now);
    if (down_.erase(next_) > 0) report.doubt = MarkingFault::link_down;
    // The slot is in use again when early packets of a later interval may come.
    if (current - next_ >= program_.slots() - 1) report.doubt = MarkingFault::not_recorded;
    // What is in a slot before its interval comes is late by nearly all of them.
    const std::int64_t coming = next_ + 3;
    if (coming > current + 1) {
      std::vector<MarkingRecord> strays;
      program_.take(coming, now, strays);
      for (const MarkingRecord& record : strays) report.strays += record.packets;
    }
    reports.push_back(std::move(report));
  }
  if (!reports.empty()) turn_lateness_ = {};
  return reports;
}

std::vector<MarkingReport> LiveMarking::finish() {
  std::vector<MarkingReport> reports = advance();
  const Timestamp now = program_.now();
  const std::int64_t end = length_.at(now).interval + 1;
  for (; next_ <= end; ++next_) reports.push_back(read(next_, now));
  return reports;
}

}  // namespace sojourn
