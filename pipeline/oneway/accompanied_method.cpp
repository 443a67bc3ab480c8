#include "pipeline/oneway/accompanied_method.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "oneway/label.h"
#include "oneway/median_of.h"

namespace sojourn {

AccompaniedMethod::AccompaniedMethod(std::unique_ptr<OnewayMethod> method,
                                     const OnewayOptions& options)
    : method_(std::move(method)), label_(options.label), key_(HashKey::from_seed(options.seed)) {}

void AccompaniedMethod::look_at(std::span<const IpPacket> batch, Point point) {
  Sample& sample = point == Point::first ? first_ : last_;
  for (const IpPacket& packet : batch) {
    const std::uint64_t identity = identity_of(packet, InvariantBytes{packet, label_}, key_);
    if (identity > sample.limit) continue;
    sample.times.emplace(identity, packet.time);
    if (point == Point::first) sample.flows.emplace(identity, packet.key());
    if (sample.times.size() < most) continue;
    sample.limit /= 2;
    const auto is_beyond = [&](const auto& entry) { return entry.first > sample.limit; };
    std::erase_if(sample.times, is_beyond);
    std::erase_if(sample.flows, is_beyond);
  }
}

CommonPackets AccompaniedMethod::common() const {
  struct Seen {
    Timestamp sent;
    Duration delay;
    const FlowKey* flow;
  };
  std::vector<Seen> seen;
  for (const auto& [identity, sent] : first_.times)
    if (const auto found = last_.times.find(identity); found != last_.times.end())
      seen.push_back({sent, difference(found->second, sent), &first_.flows.at(identity)});
  if (seen.empty()) return {};
  std::ranges::sort(seen, {}, &Seen::sent);
  std::unordered_map<FlowKey, std::uint32_t, FlowKeyHash> numbers;
  DirectionFinder directions;
  std::vector<Duration> delays;
  for (const Seen& packet : seen) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    directions.reading(numbers.try_emplace(*packet.flow, next).first->second, *packet.flow,
                       packet.sent, packet.delay);
    delays.push_back(packet.delay);
  }
  const auto negative =
      std::ranges::count_if(delays, [](Duration delay) { return delay < Duration{0}; });
  return {delays.size(), median_of(delays),
          static_cast<double>(negative) / static_cast<double>(delays.size()),
          directions.both_ways()};
}

}  // namespace sojourn
