#pragma once
// Passes the packets of two points, kept together in time, to a one-way method.
//
//     TwoPoints points{method, seed};
//     while (...) points.process(Point::first, batch);  ...  points.process(Point::last, batch);
//     points.ended(Point::first);  points.ended(Point::last);

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "capture/source.h"
#include "core/time.h"
#include "oneway/clock.h"
#include "oneway/delay_sink.h"
#include "oneway/method.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// The correction of the last point's times.
struct ClockCorrection {
  Duration offset{0};                  ///< subtracted from them
  std::optional<ClockSkew> skew = {};  ///< removed from them, first order

  Timestamp apply(Timestamp time) const {
    time -= offset;
    if (!skew) return time;
    const double since = static_cast<double>(difference_ns(to_ns(time), to_ns(skew->origin)));
    return time -
           Duration{static_cast<std::int64_t>(since * skew->per_second + (since < 0 ? -0.5 : 0.5))};
  }
};

/// The content of one point's capture.
struct PointInput {
  std::uint64_t packets = 0;  ///< with an IP header
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;  ///< corrected, as the method sees it
};

class TwoPoints {
 public:
  /// `seed` keys the hash of flows.  `sink`, if any, gets the delays of single packets as they are
  /// found.  Method and sink must outlive this object.
  TwoPoints(OnewayMethod& method, std::uint64_t seed, const ClockCorrection& correction = {},
            DelaySink* sink = nullptr);

  /// Packets of one point, in its order; any number.  The caller keeps the two points together in
  /// time: a method forgets a packet after its window.
  void process(Point point, std::span<const Packet> packets);
  /// No packet of this point will follow.  Once for each.
  void ended(Point point);

  /// Samples that the method held back go to the sink.  Called once, at the end.
  void release();

  /// All packets of two sources, always from the point that is behind, to the end of both.
  /// `progress` is called from time to time.  Stops early, at a batch's end, if `interrupted`.
  void run(Source& first, Source& last, const std::atomic<bool>& interrupted,
           const std::function<void()>& progress);

  const PointInput& input(Point point) const { return sides_[index_of(point)].input; }
  const SkipCounters& skipped(Point point) const {
    return sides_[index_of(point)].locator.skipped();
  }

 private:
  struct Side {
    explicit Side(std::uint64_t seed) : locator(seed), found(OnewayMethod::max_batch) {}

    IpLocator locator;
    std::vector<IpPacket> found;
    std::size_t count = 0;  ///< of `found`, not passed on yet
    PointInput input;

    bool empty() const { return count == 0; }
    std::span<const IpPacket> batch() const { return {found.data(), count}; }
  };

  /// Finds the IP packets among at most OnewayMethod::max_batch; they wait for hand_on().
  void locate(Point point, std::span<const Packet> packets);
  void hand_on(Point point);
  bool next_is_first() const;

  OnewayMethod& method_;
  DelaySink* sink_;
  ClockCorrection correction_;
  std::array<Side, 2> sides_;
};

}  // namespace sojourn
