#include "experiments/oneway/oneway_path.h"

#include <algorithm>
#include <array>

#include "core/hash.h"

namespace sojourn {
namespace {

constexpr std::uint64_t label_domain = 0x6c61626c, selection_domain = 0x73656c65;

std::uint32_t mixed(std::uint64_t number, std::uint64_t seed, std::uint64_t domain) {
  std::uint64_t state = number ^ seed << 40 ^ domain << 20;
  return static_cast<std::uint32_t>(split_mix(state) >> 32);
}

/// Feeds a cache with the selected packets in the order of `time`.
class PointFeeder {
 public:
  explicit PointFeeder(const FlowCache::Options& options) : cache_(options) {}

  void packet(const LabPacket& packet, std::int64_t time_ns, std::uint32_t label) {
    std::uint64_t state = packet.flow;
    batch_.push_back({lab_flow_key(packet.flow), split_mix(state), timestamp_from_ns(time_ns),
                      packet.bytes, label, 0});
    if (batch_.size() == FlowCache::max_batch) drain();
  }
  std::vector<FlowRecord> finish() {
    drain();
    cache_.flush(records_);
    return std::move(records_);
  }

 private:
  void drain() {
    cache_.add(batch_, records_);
    batch_.clear();
  }

  FlowCache cache_;
  std::vector<ObservedPacket> batch_;
  std::vector<FlowRecord> records_;
};

}  // namespace

double share_lost(const Arrivals& arrivals) {
  const auto lost = std::ranges::count(arrivals, lost_packet);
  return static_cast<double>(lost) / static_cast<double>(std::max<std::size_t>(1, arrivals.size()));
}

double mean_delay_ns(std::span<const LabPacket> packets, const Arrivals& arrivals) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (arrivals[i] == lost_packet) continue;
    sum += static_cast<double>(arrivals[i] - packets[i].sent_ns);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::vector<DelayMoments> true_delays(std::span<const LabPacket> packets, const Arrivals& arrivals,
                                      std::size_t flows) {
  std::vector<DelayMoments> truth(flows);
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (arrivals[i] != lost_packet)
      truth[packets[i].flow].add(Duration{arrivals[i] - packets[i].sent_ns});
  return truth;
}

FlowKey lab_flow_key(std::uint32_t flow) {
  const auto octet = [flow](int shift) { return static_cast<std::byte>(flow >> shift); };
  const std::array<std::byte, 4> source{octet(24), octet(16), octet(8), octet(0)};
  const std::array<std::byte, 4> destination{std::byte{192}, std::byte{0}, std::byte{2},
                                             std::byte{1}};
  return {IpAddress::v4(source), IpAddress::v4(destination), 1024, 443, 6};
}

std::uint32_t lab_flow_number(const FlowKey& key) {
  const auto bytes = key.source.bytes();
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | bytes[3];
}

std::uint32_t lab_label(std::size_t packet, std::uint64_t seed) {
  return mixed(packet, seed, label_domain);
}
std::uint32_t lab_selection_hash(std::size_t packet, std::uint64_t seed) {
  return mixed(packet, seed, selection_domain);
}

LabRecords records_of(std::span<const LabPacket> packets, const Arrivals& arrivals,
                      const LabSampling& sampling, const FlowCache::Options& cache) {
  PointFeeder first{cache}, last{cache};
  std::vector<std::uint32_t> arrived;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (!sampling.selects(i, packets[i].flow)) continue;
    first.packet(packets[i], packets[i].sent_ns, lab_label(i, sampling.seed));
    if (arrivals[i] != lost_packet) arrived.push_back(static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(arrived, [&](std::uint32_t a, std::uint32_t b) {
    return arrivals[a] != arrivals[b] ? arrivals[a] < arrivals[b] : a < b;
  });
  for (const std::uint32_t i : arrived)
    last.packet(packets[i], arrivals[i], lab_label(i, sampling.seed));
  return {first.finish(), last.finish()};
}

std::vector<DelayMoments> trajectory_delays(std::span<const LabPacket> packets,
                                            const Arrivals& arrivals, const LabSampling& sampling,
                                            std::size_t flows) {
  std::vector<DelayMoments> delays(flows);
  for (std::size_t i = 0; i < packets.size(); ++i)
    if (arrivals[i] != lost_packet && sampling.selects(i, packets[i].flow))
      delays[packets[i].flow].add(Duration{arrivals[i] - packets[i].sent_ns});
  return delays;
}

}  // namespace sojourn
