#pragma once
// Do the two captures belong together?  For methods that compare no packets and so would not
// notice.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/hash.h"
#include "oneway/method.h"

namespace sojourn {

/// What the packets found at both points show, independent of the method.
struct CommonPackets {
  std::size_t count = 0;
  Duration median{};  ///< of their delays
  double negative_share = 0;
  bool both_ways = false;  ///< some go from the last point to the first
};

/// A method, and besides it a sample of each point's packets by identity: those with the smallest
/// hashes.  So both points keep the same packets, at most `most` of them, however long the
/// captures.
class AccompaniedMethod final : public OnewayMethod {
 public:
  AccompaniedMethod(std::unique_ptr<OnewayMethod> method, const OnewayOptions& options);

  void first(std::span<const IpPacket> batch) override {
    look_at(batch, Point::first), method_->first(batch);
  }
  void last(std::span<const IpPacket> batch) override {
    look_at(batch, Point::last), method_->last(batch);
  }
  void ended(Point point) override { method_->ended(point); }
  std::span<const DelaySample> samples() const override { return method_->samples(); }
  const FlowKey* flow(std::uint32_t number) const override { return method_->flow(number); }
  void release_samples() override { method_->release_samples(); }
  OnewayResult finish() override { return method_->finish(); }

  CommonPackets common() const;

 private:
  static constexpr std::size_t most = 8'192;

  struct Sample {
    std::uint64_t limit = ~std::uint64_t{0};
    std::unordered_map<std::uint64_t, Timestamp> times;
    std::unordered_map<std::uint64_t, FlowKey> flows;  ///< of the first point's
  };
  void look_at(std::span<const IpPacket> batch, Point point);

  std::unique_ptr<OnewayMethod> method_;
  LabelOptions label_;
  HashKey key_;
  Sample first_, last_;
};

}  // namespace sojourn
