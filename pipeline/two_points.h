#pragma once
// Two captures of the same traffic, kept together in time, through a one-way method.

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
#include "oneway/method.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// What is added to the last point's times.
struct ClockCorrection {
  Duration offset{0};                  ///< subtracted from them
  std::optional<ClockSkew> skew = {};  ///< taken out of them, first order

  Timestamp apply(Timestamp time) const {
    time -= offset;
    if (!skew) return time;
    const double since = static_cast<double>(difference_ns(to_ns(time), to_ns(skew->origin)));
    return time -
           Duration{static_cast<std::int64_t>(since * skew->per_second + (since < 0 ? -0.5 : 0.5))};
  }
};

/// What one point's capture held.
struct PointInput {
  std::uint64_t packets = 0;  ///< with an IP header
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;  ///< corrected, as the method sees it
};

class TwoPoints {
 public:
  using SampleConsumer = std::function<void(const OnewayMethod&, std::span<const DelaySample>)>;

  /// The sources must outlive this.  `seed` keys the hash of flows.
  TwoPoints(Source& first, Source& last, std::uint64_t seed,
            const ClockCorrection& correction = {});

  /// Hands all packets to the method, always from the point that is behind; `consume` is given the
  /// delays of single packets as they are found, `progress` is called now and then.  Stops early,
  /// at a batch's end, if `interrupted`.
  void run(OnewayMethod& method, const SampleConsumer& consume,
           const std::atomic<bool>& interrupted, const std::function<void()>& progress);

  const PointInput& input(Point point) const { return sides_[index_of(point)].input; }
  const SkipCounters& skipped(Point point) const {
    return sides_[index_of(point)].locator.skipped();
  }

 private:
  struct Side {
    Side(Source& from, std::uint64_t seed)
        : source(&from),
          locator(seed),
          packets(OnewayMethod::max_batch),
          found(OnewayMethod::max_batch) {}

    Source* source;
    IpLocator locator;
    std::vector<Packet> packets;
    std::vector<IpPacket> found;
    std::size_t count = 0;  ///< of `found`, not handed out yet
    bool ended = false;
    PointInput input;

    bool empty() const { return count == 0; }
    std::span<const IpPacket> batch() const { return {found.data(), count}; }
  };

  /// Reads until there is something to hand out, or the end.
  void fill(Point point);
  bool next_is_first() const;

  std::array<Side, 2> sides_;
  ClockCorrection correction_;
};

}  // namespace sojourn
