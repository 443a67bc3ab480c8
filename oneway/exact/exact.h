#pragma once
// Method "exact": matches every packet of one point at the other.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "core/hash.h"
#include "oneway/exact/match_table.h"
#include "oneway/flow_ledger.h"
#include "oneway/method.h"
#include "oneway/selection.h"

namespace sojourn {

/// Delay and fate of each packet, by its identity (oneway/label.h), within `window` either way.
///
/// A packet of the first point that is not found is lost if the last point was capturing: packets
/// sent before and after it arrived, or the last point's capture extends a window beyond it on both
/// sides.  Otherwise its fate is unknown, and it counts as "outside" (docs/design/oneway-exact.md).
///
/// Backward packets (oneway/direction.h) start at the last point: for them "lost" and "only-last"
/// are exchanged, and the two directions are counted separately.
///
/// Identical packets (retransmitted with identification 0, duplicate IPv6 acknowledgments) match in
/// their order and count as "ambiguous".  A copy made on the path finds its original already
/// matched and counts as "only-last".
class ExactMethod final : public OnewayMethod {
 public:
  explicit ExactMethod(const OnewayOptions& options);

  void first(std::span<const IpPacket> batch) override { process(batch, Point::first); }
  void last(std::span<const IpPacket> batch) override { process(batch, Point::last); }
  /// Packets of the other point no longer wait for this one.
  void ended(Point point) override {
    progress_.of(point) = std::numeric_limits<std::int64_t>::max();
  }
  std::span<const DelaySample> samples() const override {
    return holds_ ? std::span<const DelaySample>{} : samples_;
  }
  void release_samples() override;
  const FlowKey* flow(std::uint32_t number) const override { return ledger_.key(number); }
  OnewayResult finish() override;

 private:
  /// From the earliest to the latest time of something.
  struct Span {
    std::int64_t from_ns = std::numeric_limits<std::int64_t>::max();
    std::int64_t to_ns = std::numeric_limits<std::int64_t>::min();

    void include(std::int64_t time_ns) {
      from_ns = std::min(from_ns, time_ns);
      to_ns = std::max(to_ns, time_ns);
    }
  };
  struct Sighting {
    std::uint64_t identity;
    const IpPacket* packet;
  };

  using Spans = std::array<Span, 2>;  ///< by point

  void process(std::span<const IpPacket> batch, Point point);
  std::size_t identify(std::span<const IpPacket> batch, std::span<Sighting> out);
  void sight(const Sighting& sighting, Point point);
  void matched(const MatchTable::Entry& first, std::int64_t last_ns);
  void hand_out(DelaySample& sample);
  void settle(std::vector<MatchTable::Entry>& entries);
  bool was_watched(const MatchTable::Entry& entry) const;

  OnewayOptions options_;
  HashKey identity_key_;
  PacketSelection packet_selection_;
  FlowSelection flow_selection_;
  MatchTable table_;
  FlowLedger ledger_;
  std::vector<DelaySample> samples_;
  std::vector<MatchTable::Entry> expired_;
  Spans seen_;                    ///< all packets
  std::array<Spans, 2> matched_;  ///< by direction: those found at the other point
  DirectionFinder directions_;
  /// Samples and unmatched packets are held back until a flow and its counterpart have shown the
  /// directions, or until so many packets have passed that there is probably only one direction.
  static constexpr std::size_t most_held = 65'536;
  bool holds_ = true;
  MatchTable::Progress progress_;
  std::uint64_t ambiguous_ = 0, cut_ = 0, not_selected_ = 0;
  std::array<std::uint64_t, 2> outside_{};
};

std::unique_ptr<OnewayMethod> make_exact(const OnewayOptions& options);

}  // namespace sojourn
