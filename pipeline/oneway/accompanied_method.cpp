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
    if (sample.times.size() < most) continue;
    sample.limit /= 2;
    std::erase_if(sample.times, [&](const auto& entry) { return entry.first > sample.limit; });
  }
}

CommonPackets AccompaniedMethod::common() const {
  std::vector<Duration> delays;
  for (const auto& [identity, sent] : first_.times)
    if (const auto found = last_.times.find(identity); found != last_.times.end())
      delays.push_back(difference(found->second, sent));
  if (delays.empty()) return {};
  const auto negative =
      std::ranges::count_if(delays, [](Duration delay) { return delay < Duration{0}; });
  return {delays.size(), median_of(delays),
          static_cast<double>(negative) / static_cast<double>(delays.size())};
}

}  // namespace sojourn
