#pragma once
// One-way delay and loss of flows between two points that see the same traffic.
//
//     auto points = sojourn::TwoPoints::create({.method = "multiflow", .sampling = 0.01});
//     if (!points) return complain(points.error());
//     if (const auto done = points->read("first.pcap", "last.pcap"); !done)
//       return complain(done.error());
//     for (const sojourn::Flow& flow : points->flows()) ...

#include <sojourn/distribution.h>
#include <sojourn/result.h>
#include <sojourn/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sojourn::v0 {

/// What to measure.  Unset fields get the defaults of the program.
struct TwoPointOptions {
  std::string method = "exact";      ///< methods() names them
  double sampling = 1;               ///< share of packets that both points select
  std::int64_t window_ns = 0;        ///< largest plausible delay, either way; 0: 10 s
  std::int64_t clock_offset_ns = 0;  ///< of the last point's clock, subtracted from its times
  std::string filter = {};           ///< of packets, in tcpdump's language
  std::uint64_t seed = 0;            ///< of tables; 0: a random one
  /// Of the link before the last point.  Method rli-queue needs it, rli and rli-l use it; 0: not
  /// known.
  std::uint64_t capacity_bits_per_second = 0;
};

/// The figures of one flow.  Unknown values are left out.
struct Flow {
  Address source;
  Address destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;
  std::uint64_t packets = 0;
  std::optional<double> mean_ns;  ///< may be negative, due to the clocks
  std::optional<double> stddev_ns;
  std::optional<double> margin_ns;  ///< half of the 95 % interval of the mean, for estimates
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::uint64_t> lost;
  /// The flow goes from the last point to the first.  Its delays are then those of that direction
  /// with a minus sign, apart from the clocks' offset.
  bool backward = false;
};

enum class Point : std::uint8_t { first, last };

/// One measurement.  Not thread-safe, except for stop().
class SOJOURN_API TwoPoints {
 public:
  static std::vector<std::string> methods();

  static Result<TwoPoints> create(const TwoPointOptions& options);
  TwoPoints(TwoPoints&&) noexcept;
  TwoPoints& operator=(TwoPoints&&) noexcept;
  ~TwoPoints();

  // Choose one of two sources of packets; the other is then refused.

  /// Two captures of the same traffic; "-" is standard input.  Fails if they have nothing in
  /// common.
  Result<void> read(const std::string& first, const std::string& last);

  /// Your own packets, those of each point in the order of time.  Call finish() after the last.
  Result<void> push(Point point, std::span<const Packet> packets);
  Result<void> finish();

  /// Makes read() return soon.  May be called from any thread or signal handler.
  void stop();

  // Results, valid after read() or finish().  If not stated otherwise, they are about packets that
  // go from the first point to the last.

  const std::vector<Flow>& flows() const;  ///< of both directions
  /// The delays of single packets, or of the flows' means for a method without packet delays.
  Distribution delays() const;
  std::optional<std::uint64_t> sent() const;  ///< packets of the first point whose fate is known
  std::optional<std::uint64_t> lost() const;  ///< of these
  /// The same for packets that go from the last point to the first, with delays in that direction.
  /// Known if packets go both ways and the method can tell them apart.
  Distribution backward_delays() const;
  std::optional<std::uint64_t> backward_sent() const;
  std::optional<std::uint64_t> backward_lost() const;
  /// Separate counts by name: matched, ambiguous ...
  std::vector<Count> counters() const;
  /// Packets of a point that were not measured, by reason.
  std::vector<Count> skipped(Point point) const;
  /// One line for each thing the user should know: about the captures, the method and its figures.
  std::vector<std::string> warnings() const;

 private:
  struct Run;
  explicit TwoPoints(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace sojourn::v0
