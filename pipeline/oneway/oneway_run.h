#pragma once
// One measurement between two points: packets in, delays and loss of flows out.
//
//     auto run = OnewayRun::make({.method = oneway_method_named("exact")});
//     (*run)->run(*first, *last, stop, tick);   or process(point, packets) or step(point, source)
//     const OnewayMeasurement measured = (*run)->finish();

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/result.h"
#include "estimate/distribution/distribution.h"
#include "estimate/grouping.h"
#include "estimate/groups.h"
#include "oneway/clock.h"
#include "oneway/delay_sink.h"
#include "oneway/method.h"
#include "pipeline/oneway/accompanied_method.h"
#include "pipeline/oneway/oneway_methods.h"
#include "pipeline/oneway/oneway_setup.h"
#include "pipeline/oneway/two_points.h"

namespace sojourn {

/// What the delays show about the two clocks.
struct OnewayClocks {
  std::optional<ClockSkew> skew;  ///< what the delays show; before the correction if there was one
  std::optional<ClockOffset> offset;  ///< what the two directions allow; after the correction
  bool corrected = false;             ///< the skew was removed from the times
};

/// The results.
struct OnewayMeasurement {
  std::array<PointInput, 2> inputs;
  std::array<SkipCounters, 2> skipped;
  OnewayResult result;
  /// Of packets that go forward, or of the flows' means for methods without packet delays.
  Distribution delays;
  Distribution backward;  ///< of those that go back, as delays from the last point to the first
  Groups groups;          ///< of delays of packets that go forward, if a grouping was given
  OnewayClocks clocks;
  std::optional<CommonPackets> common;  ///< for a method that compares no packets itself

  /// There is nothing to report.
  bool empty() const;
};

struct OnewayRunOptions {
  const MethodChoice* method = &oneway_methods().front();
  OnewaySetup setup = {};
  ClockCorrection correction = {};
  std::optional<Grouping> grouping = {};
};

class OnewayRun final : private DelaySink {
 public:
  /// `sink`, if any, gets the delays of single packets; it must outlive the run.
  static Result<std::unique_ptr<OnewayRun>> make(const OnewayRunOptions& options,
                                                 DelaySink* sink = nullptr);

  /// As TwoPoints.
  void process(Point point, std::span<const Packet> packets) { points_.process(point, packets); }
  void ended(Point point) { points_.ended(point); }
  /// Takes one batch of a source, if the caller keeps the two points together in time.  False when
  /// the source has ended; ended(point) is still to be called then.
  bool step(Point point, Source& source);
  void run(Source& first, Source& last, const std::atomic<bool>& interrupted,
           const std::function<void()>& progress) {
    points_.run(first, last, interrupted, progress);
  }

  /// Called once, at the end.
  OnewayMeasurement finish();

 private:
  OnewayRun(const OnewayRunOptions& options, std::unique_ptr<OnewayMethod> method,
            AccompaniedMethod* companion, DelaySink* sink);
  void take(const OnewayMethod& method, std::span<const DelaySample> delays) override;

  OnewayRunOptions options_;
  std::unique_ptr<OnewayMethod> method_;
  AccompaniedMethod* companion_;  ///< is `method_`, if that compares no packets
  DelaySink* sink_;
  TwoPoints points_;
  OnewayMeasurement measured_;
  SkewEstimator skew_;  ///< of packets that go forward
  std::vector<std::int64_t> delays_ns_, backward_ns_;
  std::vector<Packet> batch_;  ///< of step()
};

/// Sums up the flows of a method without packet delays.
void add_flow_means(OnewayMeasurement& measured);

}  // namespace sojourn
