#include "pipeline/oneway/marking_hop.h"

#include <array>

#include "wire/ip_packet.h"

namespace sojourn {

Result<PointRecords> read_marking_hop(const MarkingSetup& setup,
                                      Result<std::unique_ptr<Source>> source) {
  if (!source) return std::unexpected(source.error());
  auto monitor = MarkingMonitor::make(setup, MarkingRole::observing);
  if (!monitor) return std::unexpected(monitor.error());
  IpLocator locator{setup.seed};
  std::array<Packet, MarkingMonitor::max_batch> batch;
  std::array<IpPacket, MarkingMonitor::max_batch> ips;
  for (bool end = false; !end;) {
    const auto filled = (*source)->next(batch);
    end = filled.end;
    const std::size_t found = locator.locate({batch.data(), filled.count}, ips);
    monitor->process({ips.data(), found});
  }
  return monitor->finish();
}

}  // namespace sojourn
