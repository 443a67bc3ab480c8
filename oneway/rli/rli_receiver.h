#pragma once
// RLI's receiver (RLI section III-B2): every regular packet gets a delay from the reference packets
// around it, and every flow gets its mean and deviation.

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
#include "oneway/rli/line_bytes.h"
#include "oneway/rli/squared_error.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {

enum class RliEstimator : std::uint8_t {
  interpolate,  ///< RLI: the line between the reference packets on either side
  left_only,    ///< RLI-L: the reference packet before, and no buffer
  queue_aware,  ///< ours: as RLI, and uses what the arrival times say about the queue
                ///< (rli_idle_times.cpp)
};

/// Counts of the regular and of the reference packets.
struct RliCounters {
  std::uint64_t packets = 0;  ///< regular ones, the sum of the next four and of not_tracked
  std::uint64_t interpolated = 0;
  std::uint64_t left_only = 0;     ///< by RLI-L: chosen, or the next reference packet came too late
  std::uint64_t before_first = 0;  ///< no reference packet yet: counted, not guessed
  std::uint64_t after_last = 0;    ///< no further reference packet came: counted, not guessed
  std::uint64_t not_tracked = 0;   ///< no room for their flow; they are still in the aggregate
  std::uint64_t references = 0;    ///< that were used
  std::uint64_t references_lost = 0;  ///< by their sequence numbers
  std::uint64_t references_reordered =
      0;  ///< overtaken by a later one, or twice the same: not used
  std::uint64_t other_senders = 0;
  /// queue_aware: references that came behind a gap, and those of them that had waited anyway
  std::uint64_t references_behind_gaps = 0;
  std::uint64_t waited_behind_gaps = 0;
};

struct RliFlow {
  std::uint64_t packets = 0;  ///< all, estimated or not
  DelayMoments delays;
  double error = 0;  ///< variance of the sum of all errors, ns^2
  std::uint32_t stretch = 0;
  std::uint32_t in_stretch = 0;
  /// Places of its packets in this stretch, from 0 at the left reference to 1 at the right.
  float places = 0, squared_places = 0;

  /// Standard error of the mean: the error of the interpolation itself.
  double standard_error_ns() const;
};

/// Equation 1, for a packet of b bytes received at t between references l and r:
///
///     d = d_l + (t - t_l) (d_r - d_l) / (t_r - t_l) + (b - b_ref) / capacity
///
/// Packets wait in a buffer for the reference behind them.  It is bounded: when it is full, they
/// get RLI-L's delay and the wait restarts.  A reference that was overtaken by a later one is left
/// out, since its delay differs from its neighbours'.
///
/// Error bars (ours): each reference is compared with the line between its neighbours.  If delay
/// follows Brownian motion, that residual has the variance e^2 = s^2 T/2 for references T apart.
/// The line between two neighbours then has an error of s^2 T/6 = e^2/3 for a packet, and the
/// errors of two packets that are a share x of the stretch apart have the correlation (1 - x)^2:
/// packets of a train have similar errors.  Stretches are independent.  On quiet links delay does
/// not drift but jumps: there e is the long-term value if it exceeds the recent one.
class RliReceiver {
 public:
  struct Options {
    RliEstimator estimator = RliEstimator::interpolate;
    double capacity_bytes_a_second = 0;  ///< of the link before the receiver; 0: unknown
    std::uint32_t reference_bytes = 48;  ///< length of a reference packet's IP packet
    LineBytes line = {};                 ///< what packets take on that link besides their bytes
    bool line_is_certain = false;        ///< else packets that come closer than it allows reduce it
    std::size_t buffer_packets = std::size_t{1} << 16;
    std::size_t flow_memory_bytes = std::size_t{64} << 20;
    std::optional<std::uint16_t>
        sender;                     ///< of the reference packets; without it, the first one met
    Duration time_resolution{100};  ///< queue_aware: gaps shorter than this are no idle time
  };
  static constexpr std::size_t max_batch = 256;

  explicit RliReceiver(const Options& options);

  /// The overhead of the link, if it is known only when the first packet comes.
  void set_line(const LineBytes& line) { line_ = line; }
  /// Regular packets in the order of their arrival; at most max_batch, and none across a reference.
  void packets(std::span<const ObservedPacket> batch);
  void reference(const ReferencePacket& packet, Timestamp received);
  /// No more packets follow.
  void finish();

  std::span<const FlowTable<RliFlow>::Entry> flows() const { return flows_.entries(); }
  const DelayMoments& aggregate() const { return aggregate_; }
  const RliCounters& counters() const { return counters_; }
  /// Half of the 95 % interval of a flow's mean; never less than the timestamp resolution, and
  /// nullopt before references have shown the errors of lines.
  std::optional<double> margin_ns(const RliFlow& flow) const;
  /// What queue_aware learned about the link.
  const LineBytes& line() const { return line_; }
  bool line_was_lessened() const { return line_was_lessened_; }
  const SpareBytes& spare_bytes() const { return spare_; }
  /// False once references behind gaps have waited: the link carries other traffic, and queue_aware
  /// uses references only.
  bool trusts_gaps() const;
  std::size_t memory_bytes() const {
    return flows_.memory_bytes() + buffer_.capacity() * sizeof(Waiting);
  }

 private:
  struct Waiting {
    Timestamp received;
    std::uint32_t bytes;
    std::uint32_t flow;
  };
  /// A point of the delay curve, for a packet of reference_bytes.
  struct Point {
    Timestamp time;  ///< of arrival; queue_aware: when its first byte came
    double delay_ns;
  };

  /// The position of a packet on the curve.
  Timestamp time_of(Timestamp received, std::uint32_t bytes) const {
    if (options_.estimator != RliEstimator::queue_aware) return received;
    return received - Duration{static_cast<std::int64_t>(line_.of(bytes) * ns_a_byte_)};
  }

  double size_term_ns(std::uint32_t bytes) const {
    return (static_cast<double>(line_.of(bytes)) -
            static_cast<double>(line_.of(options_.reference_bytes))) *
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
  void learn_idle_delay(const Point& reference);
  void watch_line(const Waiting& packet, Timestamp previous);
  /// This packet's number among those of its flow in this stretch, from 1.
  double number_in_stretch(const Waiting& packet) const;
  /// The packet's contribution to the variance of its flow's summed errors, in units of its own.
  double joint_error(const Waiting& packet, double place);
  void begin_stretch(RliFlow& flow);

  Options options_;
  double ns_a_byte_ = 0;
  FlowTable<RliFlow> flows_;
  std::vector<Waiting> buffer_;
  DelayMoments aggregate_;
  RliCounters counters_;

  std::optional<ReferencePacket> last_reference_;
  std::optional<Point> left_, before_left_;
  double stretch_ns_ = 0;  ///< from left_ to the reference that ends the stretch
  std::uint32_t stretch_ = 0;
  SquaredError residual_;  ///< e: of a reference from the line between its neighbours
  SquaredError step_;      ///< d_r - d_l: RLI-L's error
  LineBytes line_;
  bool line_was_lessened_ = false;

  // queue_aware
  std::optional<Timestamp> previous_;    ///< arrival of the packet before the buffer's first
  std::optional<double> empty_ns_;       ///< delay of a reference packet that met an idle link
  bool idle_at_left_ = false;            ///< the stretch begins with an idle link, not a reference
  std::optional<Timestamp> busy_since_;  ///< first byte of the busy period
  /// Mean wait of reference packets by how long the link had been busy, in powers of two of
  /// nanoseconds; the assumed wait of a packet in a busy period without a reference.
  std::array<double, 40> wait_after_{};
  std::array<std::uint32_t, 40> waits_{};
  SquaredError wait_error_;  ///< of a reference's wait from that mean
  SquaredError idle_step_;   ///< between one reference that met an idle link and the next
  SpareBytes spare_;
};

}  // namespace sojourn
