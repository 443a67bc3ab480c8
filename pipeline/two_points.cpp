#include "pipeline/two_points.h"

#include <algorithm>
#include <utility>

namespace sojourn {

TwoPoints::TwoPoints(Source& first, Source& last, std::uint64_t seed,
                     const ClockCorrection& correction)
    : sides_{Side{first, seed}, Side{last, seed}}, correction_(correction) {}

void TwoPoints::fill(Point point) {
  Side& side = sides_[index_of(point)];
  while (side.empty() && !side.ended) {
    const auto [count, end] = side.source->next(side.packets);
    side.ended = end;
    side.count = side.locator.locate(std::span{side.packets}.first(count), side.found);
    for (IpPacket& packet : std::span{side.found}.first(side.count)) {
      if (point == Point::last) packet.time = correction_.apply(packet.time);
      side.input.first = std::min(side.input.first.value_or(packet.time), packet.time);
      side.input.last = std::max(side.input.last.value_or(packet.time), packet.time);
    }
    side.input.packets += side.count;
  }
}

/// The point that is behind.  A point without packets leaves the turn to the other.
bool TwoPoints::next_is_first() const {
  const Side &first = sides_[0], &last = sides_[1];
  if (first.empty() || last.empty()) return last.empty();
  return first.found[0].time <= last.found[0].time;
}

void TwoPoints::run(OnewayMethod& method, const SampleConsumer& consume,
                    const std::atomic<bool>& interrupted, const std::function<void()>& progress) {
  constexpr unsigned batches_per_call = 64;
  std::array<bool, 2> told{};
  for (unsigned batches = 0; !interrupted; ++batches) {
    for (const Point point : {Point::first, Point::last}) {
      fill(point);
      const bool over = sides_[index_of(point)].empty();
      if (over && !std::exchange(told[index_of(point)], true)) method.ended(point);
    }
    if (told[0] && told[1]) break;
    const Point point = next_is_first() ? Point::first : Point::last;
    Side& side = sides_[index_of(point)];
    point == Point::first ? method.first(side.batch()) : method.last(side.batch());
    side.count = 0;
    if (consume && !method.samples().empty()) consume(method, method.samples());
    if (batches % batches_per_call == 0) progress();
  }
}

}  // namespace sojourn
