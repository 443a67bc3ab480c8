#include "oneway/cnf/cnf_point.h"

#include "oneway/label.h"

namespace sojourn {

CnfPoint::CnfPoint(const OnewayOptions& options, const FlowCache::Options& cache)
    : sample_flows_(options.sample_flows),
      packet_selection_(SelectionRange::of_share(options.sampling), options.label),
      flow_selection_(SelectionRange::of_share(options.sampling), options.label),
      exported_(options.label),
      cache_(cache) {
  // For selected packets the selecting label carries little information: export another one of 32
  // bits.
  exported_.function = LabelFunction::bob;
  exported_.init ^= 0x5bd1e995;
  batch_.reserve(OnewayMethod::max_batch);
}

void CnfPoint::add(std::span<const IpPacket> batch) {
  batch_.clear();
  for (const IpPacket& packet : batch) {
    if (!(sample_flows_ ? flow_selection_.selects(packet) : packet_selection_.selects(packet)))
      continue;
    batch_.push_back({packet.key(), packet.flow, packet.time, packet.ip_length,
                      label_of(packet, exported_), packet.tcp_flags});
  }
  selected_ += batch_.size();
  cache_.add(batch_, records_);
}

}  // namespace sojourn
