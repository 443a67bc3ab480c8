#include "oneway/marking/marking_monitor.h"

#include <cassert>

namespace sojourn {

MarkingMonitor::MarkingMonitor(const MarkingSetup& setup, MarkingRole role, MarkingFlows flows)
    : role_(role),
      carrier_(measures_loss(setup.method) ? setup.carrier : setup.carrier.for_delay_only()),
      flows_(std::move(flows)),
      point_(setup.method, role, setup.length, setup.flows.size()),
      flip_(setup.reversed && measures_loss(setup.method) ? 1 : 0),
      length_(setup.length),
      has_colour_(measures_loss(setup.method)),
      repeated_(setup.seed) {
  if (setup.early_pulses) point_.send_pulses_early();
}

Result<MarkingMonitor> MarkingMonitor::make(const MarkingSetup& setup, MarkingRole role) {
  if (setup.carrier.bits() < marks_of(setup.method))
    return failure("double marking needs two bits, and " + setup.carrier.name() +
                   " has one; try dscp:1,0");
  auto flows = MarkingFlows::make(setup.flows, setup.carrier, setup.seed);
  if (!flows) return std::unexpected(flows.error());
  return MarkingMonitor{setup, role, std::move(*flows)};
}

std::span<const MarkingEvent> MarkingMonitor::process(std::span<const IpPacket> batch) {
  assert(batch.size() <= max_batch);
  std::array<std::uint32_t, max_batch> numbers;
  flows_.classify(batch, numbers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    events_[i] = {batch[i].time, numbers[i]};
    if (numbers[i] == MarkingFlows::no_flow) continue;
    ++monitored_;
    const std::span ip{batch[i].ip, batch[i].ip_captured};
    // The initiating point only needs to know that there will be room for the mark.
    const auto mark =
        role_ == MarkingRole::observing || carrier_.kind() != CarrierKind::option
            ? carrier_.read(ip)
            : (carrier_.use(ip) == CarrierUse::impossible ? std::nullopt : std::optional<Mark>{0});
    if (mark) {
      events_[i].mark = *mark ^ flip_;
      if (role_ == MarkingRole::observing) observe(batch[i], events_[i]);
    } else {
      ++without_carrier_;
      events_[i].flow = MarkingEvent::no_flow;
    }
  }
  const std::span events{events_.data(), batch.size()};
  const std::size_t closed = point_.process(events, closed_);
  records_.insert(records_.end(), closed_.begin(),
                  closed_.begin() + static_cast<std::ptrdiff_t>(closed));
  return events;
}

void MarkingMonitor::observe(const IpPacket& packet, MarkingEvent& event) {
  event.repeats = repeated_.repeats(packet);
  // In the second quarter no pulse inverts the colour, and no packet is that late.
  const MarkingMoment moment = length_.at(packet.time);
  if (!has_colour_ || moment.quarter() != 1) return;
  ++((event.mark & 1u) == moment.colour() ? with_clock_ : against_clock_);
}

PointRecords MarkingMonitor::finish() {
  if (point_.span().since <= point_.span().until) point_.read_all(point_.span().until, records_);
  return {point_.span(), std::move(records_)};
}

}  // namespace sojourn
