#include "pipeline/oneway/two_points.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sojourn {

TwoPoints::TwoPoints(OnewayMethod& method, std::uint64_t seed, const ClockCorrection& correction,
                     DelaySink* sink)
    : method_(method), sink_(sink), correction_(correction), sides_{Side{seed}, Side{seed}} {}

void TwoPoints::process(Point point, std::span<const Packet> packets) {
  while (!packets.empty()) {
    const std::size_t count = std::min(packets.size(), OnewayMethod::max_batch);
    locate(point, packets.first(count));
    if (!sides_[index_of(point)].empty()) hand_on(point);
    packets = packets.subspan(count);
  }
}

void TwoPoints::ended(Point point) { method_.ended(point); }

void TwoPoints::release() {
  method_.release_samples();
  if (sink_ && !method_.samples().empty()) sink_->take(method_, method_.samples());
}

void TwoPoints::locate(Point point, std::span<const Packet> packets) {
  Side& side = sides_[index_of(point)];
  assert(side.empty() && packets.size() <= side.found.size());
  side.count = side.locator.locate(packets, side.found);
  for (IpPacket& packet : std::span{side.found}.first(side.count)) {
    if (point == Point::last) packet.time = correction_.apply(packet.time);
    side.input.first = std::min(side.input.first.value_or(packet.time), packet.time);
    side.input.last = std::max(side.input.last.value_or(packet.time), packet.time);
  }
  side.input.packets += side.count;
}

void TwoPoints::hand_on(Point point) {
  Side& side = sides_[index_of(point)];
  point == Point::first ? method_.first(side.batch()) : method_.last(side.batch());
  side.count = 0;
  if (sink_ && !method_.samples().empty()) sink_->take(method_, method_.samples());
}

/// The point that is behind.  A point without packets leaves the turn to the other.
bool TwoPoints::next_is_first() const {
  const Side &first = sides_[0], &last = sides_[1];
  if (first.empty() || last.empty()) return last.empty();
  return first.found[0].time <= last.found[0].time;
}

void TwoPoints::run(Source& first, Source& last, const std::atomic<bool>& interrupted,
                    const std::function<void()>& progress) {
  constexpr unsigned batches_per_call = 64;
  struct Input {
    Source& source;
    std::vector<Packet> packets;
    bool at_end = false, told = false;
  };
  std::array inputs = {Input{first, std::vector<Packet>(OnewayMethod::max_batch)},
                       Input{last, std::vector<Packet>(OnewayMethod::max_batch)}};
  for (unsigned batches = 0; !interrupted; ++batches) {
    for (const Point point : {Point::first, Point::last}) {
      Input& input = inputs[index_of(point)];
      const Side& side = sides_[index_of(point)];
      while (side.empty() && !input.at_end) {
        if (interrupted) return;  // a silent pipe gives empty batches
        const auto [count, end, in_order] = input.source.next(input.packets);
        input.at_end = end;
        locate(point, std::span{input.packets}.first(count));
      }
      if (side.empty() && !std::exchange(input.told, true)) ended(point);
    }
    if (inputs[0].told && inputs[1].told) break;
    hand_on(next_is_first() ? Point::first : Point::last);
    if (batches % batches_per_call == 0) progress();
  }
}

}  // namespace sojourn
