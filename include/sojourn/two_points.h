#pragma once
// One-way delay and loss of flows between two points that see the same traffic.
//
//     auto points = sojourn::TwoPoints::create({.method = "multiflow", .sampling = 0.01});
//     points->read("first.pcap", "last.pcap");
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
};

/// The figures of one flow.  Unknown values are left out.
struct Flow {
  Address source;
  Address destination;
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  std::uint8_t protocol = 0;
  std::uint64_t packets = 0;
  std::optional<double> mean_ns;  ///< may be negative by the clocks
  std::optional<double> stddev_ns;
  std::optional<double> margin_ns;  ///< half of the 95 % interval of the mean, for estimates
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
  std::optional<std::uint64_t> lost;
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

  /// Two captures of the same traffic.  Fails if they have nothing in common.
  Result<void> read(const std::string& first, const std::string& last);

  /// Or your own packets: those of a point in the order of time.  Call finish() after the last.
  void push(Point point, std::span<const Packet> packets);
  Result<void> finish();

  /// Makes read() return soon.  From any thread or signal handler.
  void stop();

  // After read() or finish().

  const std::vector<Flow>& flows() const;
  /// Of single packets, or of the flows' means for a method without packet delays.
  Distribution delays() const;
  std::optional<std::uint64_t> sent() const;  ///< packets of the first point whose fate is known
  std::optional<std::uint64_t> lost() const;  ///< of these
  /// Separate counts by name: matched, ambiguous ...
  std::vector<Count> counters() const;
  std::vector<std::string> warnings() const;

 private:
  struct Run;
  explicit TwoPoints(std::unique_ptr<Run> run);
  std::unique_ptr<Run> run_;
};

}  // namespace sojourn::v0
