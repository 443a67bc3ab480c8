#pragma once
// RLI's receiver (RLI section III-B2): every regular packet gets a delay from the reference packets
// around it, and every flow its mean and deviation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/time.h"
#include "oneway/delay_moments.h"
#include "oneway/flow_table.h"
#include "oneway/observed_packet.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {

enum class RliEstimator : std::uint8_t {
  interpolate,  ///< RLI: the line between the reference packets on either side
  left_only,    ///< RLI-L: the reference packet before, and no buffer
  queue_aware,  ///< ours: as RLI, and going by what the arrival times say of the queue
                ///< (rli_idle_times.cpp)
};

/// What became of the regular and of the reference packets.
struct RliCounters {
  std::uint64_t packets = 0;  ///< regular ones, the sum of the next four and of not_tracked
  std::uint64_t interpolated = 0;
  std::uint64_t left_only = 0;     ///< by RLI-L: chosen, or the next reference packet was too late
  std::uint64_t before_first = 0;  ///< no reference packet yet: counted, not guessed
  std::uint64_t after_last = 0;    ///< no reference packet came any more: counted, not guessed
  std::uint64_t not_tracked = 0;   ///< their flow found no room; they still are in the aggregate
  std::uint64_t references = 0;    ///< that were used
  std::uint64_t references_lost = 0;  ///< by their sequence numbers
  std::uint64_t references_reordered =
      0;  ///< overtaken by a later one, or twice the same: not used
  std::uint64_t other_senders = 0;
};

struct RliFlow {
  std::uint64_t packets = 0;  ///< all, estimated or not
  DelayMoments delays;
  double error = 0;  ///< sum over stretches of the variance of the summed errors, ns^2
  std::uint32_t stretch = 0;
  std::uint32_t in_stretch = 0;

  /// Standard error of the mean: how far the interpolation itself may be off.
  double standard_error_ns() const;
};

/// Equation 1, for a packet of b bytes received at t between references l and r:
///
///     d = d_l + (t - t_l) (d_r - d_l) / (t_r - t_l) + (b - b_ref) / capacity
///
/// Packets wait in a buffer for the reference behind them.  It is bounded: when it is full, they
/// get RLI-L's delay and the wait begins anew.  A reference that was overtaken by a later one is
/// left out, since its delay is not that of its neighbours.
///
/// Error bars (ours): each reference is compared with the line between its neighbours.  If delay
/// wanders like Brownian motion, that residual has the variance e^2 = s^2 T/2 for references T
/// apart, the line between two neighbours is off by s^2 T/6 = e^2/3 for a packet, and by
/// e^2 (1 + 1/n)/6 for the mean of n packets of a stretch; stretches are independent.
class RliReceiver {
 public:
  struct Options {
    RliEstimator estimator = RliEstimator::interpolate;
    double capacity_bytes_a_second = 0;  ///< of the link before the receiver; 0: unknown
    std::uint32_t reference_bytes = 48;  ///< length of a reference packet's IP packet
    std::size_t buffer_packets = std::size_t{1} << 16;
    std::size_t flow_memory_bytes = std::size_t{64} << 20;
    std::optional<std::uint16_t>
        sender;                     ///< of the reference packets; without it, the first one met
    Duration time_resolution{100};  ///< queue_aware: gaps shorter than this are no idle time
  };
  static constexpr std::size_t max_batch = 256;

  explicit RliReceiver(const Options& options);

  /// Regular packets in the order of their arrival; at most max_batch, and none across a reference.
  void packets(std::span<const ObservedPacket> batch);
  void reference(const ReferencePacket& packet, Timestamp received);
  /// No more will come.
  void finish();

  std::span<const FlowTable<RliFlow>::Entry> flows() const { return flows_.entries(); }
  const DelayMoments& aggregate() const { return aggregate_; }
  const RliCounters& counters() const { return counters_; }
  std::size_t memory_bytes() const {
    return flows_.memory_bytes() + buffer_.capacity() * sizeof(Waiting);
  }

 private:
  struct Waiting {
    Timestamp received;
    std::uint32_t bytes;
    std::uint32_t flow;
  };
  /// A point of the delay's curve, as a packet of reference_bytes would meet it.
  struct Point {
    Timestamp time;  ///< of arrival; queue_aware: when its first byte came
    double delay_ns;
  };

  /// Where on the curve a packet lies.
  Timestamp time_of(Timestamp received, std::uint32_t bytes) const {
    if (options_.estimator != RliEstimator::queue_aware) return received;
    return received - Duration{static_cast<std::int64_t>(bytes * ns_a_byte_)};
  }

  double size_term_ns(std::uint32_t bytes) const {
    return (static_cast<double>(bytes) - static_cast<double>(options_.reference_bytes)) *
           ns_a_byte_;
  }
  bool accept(const ReferencePacket& packet);
  void settle_left();
  void settle_between(std::span<const Waiting> stretch, const Point& left, const Point& right);
  void settle_busy_period(std::span<const Waiting> stretch, Timestamp begin);
  void learn_wait(const Point& reference);
  double usual_wait(double since_ns) const;
  void settle_by_idle_times(const Point& right, Timestamp received);
  bool was_idle_before(Timestamp received, std::uint32_t bytes, Timestamp previous) const;
  void estimate(const Waiting& packet, double delay_ns, double error);
  void learn_error(const Point& point);

  Options options_;
  double ns_a_byte_ = 0;
  FlowTable<RliFlow> flows_;
  std::vector<Waiting> buffer_;
  DelayMoments aggregate_;
  RliCounters counters_;

  std::optional<ReferencePacket> last_reference_;
  std::optional<Point> left_, before_left_;
  std::uint32_t stretch_ = 0;
  double squared_residual_ = 0;  ///< e^2, smoothed
  double squared_step_ = 0;      ///< (d_r - d_l)^2, smoothed: RLI-L's error
  std::uint64_t residuals_ = 0;

  // queue_aware
  std::optional<Timestamp> previous_;    ///< arrival of the packet before the buffer's first
  std::optional<double> empty_ns_;       ///< delay of a reference packet that met an idle link
  bool idle_at_left_ = false;            ///< the stretch begins with an idle link, not a reference
  std::optional<Timestamp> busy_since_;  ///< first byte of the busy period
  /// Mean wait of reference packets by how long the link had been busy, in powers of two of
  /// nanoseconds; what a packet is thought to have waited in a busy period without a reference.
  std::array<double, 40> wait_after_{};
  std::array<std::uint32_t, 40> waits_{};
};

}  // namespace sojourn
