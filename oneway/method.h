#pragma once
// The interface of every one-way measurement method.
//
// A method gets the IP packets of two points, batch by batch, and returns its result at the end:
//
//     auto method = make_exact(options);
//     while (...) { method->first(batch);  ...  method->last(batch); }
//     OnewayResult result = method->finish();

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result_table.h"
#include "core/time.h"
#include "oneway/flow_delay.h"
#include "oneway/label_options.h"
#include "oneway/note.h"
#include "oneway/point.h"
#include "wire/ip_packet.h"

namespace sojourn {

/// Options of all methods.
struct OnewayOptions {
  Duration window = std::chrono::seconds{10};  ///< largest plausible delay, either way
  double sampling = 1;        ///< share of packets that are selected, by their label
  bool sample_flows = false;  ///< select whole flows instead, by the hash of their 5-tuple
  LabelOptions label = {};
  std::uint64_t seed = 0;  ///< of tables
  /// exact: flows that are tracked; the packets of others count only in the totals.
  std::size_t max_flows = 4'000'000;
};

/// A packet that was seen at both points.
struct DelaySample {
  Timestamp sent;          ///< at the first point, by its clock
  Duration delay;          ///< by the clocks of both, so it may be negative
  std::uint32_t flow = 0;  ///< number for OnewayMethod::flow()
  Direction direction = Direction::forward;
};

/// The result for all packets together, if it is not just the sum of the flows.
struct TotalDelay {
  std::uint64_t packets = 0;  ///< number of packets behind the figures
  double mean_ns = 0;
  std::optional<double> stddev_ns;
  std::optional<std::int64_t> min_ns;
  std::optional<std::int64_t> max_ns;
};

/// Converts readings of a direction's packets to delays in that direction.
inline std::optional<TotalDelay> in_direction(Direction direction,
                                              const std::optional<TotalDelay>& read) {
  if (!read || direction == Direction::forward) return read;
  TotalDelay turned = *read;
  turned.mean_ns = -read->mean_ns;
  if (read->max_ns) turned.min_ns = -*read->max_ns;
  if (read->min_ns) turned.max_ns = -*read->min_ns;
  return turned;
}

/// One of two directions; never includes packets of the other.
struct DirectionResult {
  Direction direction = Direction::forward;
  std::uint64_t flows = 0;
  /// By the clocks of both points, in this direction: backward it is the time at FIRST minus that
  /// at LAST.
  std::optional<TotalDelay> total;
  std::optional<std::uint64_t> sent;  ///< packets of this direction whose fate is known
  std::optional<std::uint64_t> lost;  ///< of these
};

struct OnewayResult {
  std::vector<FlowDelay> flows;
  std::optional<TotalDelay> total;    ///< of packets that go forward
  std::optional<std::uint64_t> sent;  ///< packets that go forward whose fate is known
  std::optional<std::uint64_t> lost;  ///< of these
  /// Both directions, if packets go both ways; otherwise empty.
  std::vector<DirectionResult> directions;
  /// Separate counts, by a name with dashes: {"ambiguous", 3}.
  std::vector<std::pair<std::string, std::uint64_t>> counters;
  std::vector<Note> notes;          ///< sentences the user should read
  std::vector<ResultTable> tables;  ///< specific to one method: marking's intervals
  Note no_result;                   ///< why there is none, if the method knows more than the
                                    ///< comparison of the captures
  std::uint64_t memory_bytes = 0;   ///< at its peak, tables and flows
};

/// The virtual call is per batch.  Packets of a point come in the order of its capture; the caller
/// keeps the two points together in time, so that neither is more than a batch ahead.
class OnewayMethod {
 public:
  static constexpr std::size_t max_batch = 256;

  virtual ~OnewayMethod() = default;

  virtual void first(std::span<const IpPacket> batch) = 0;
  virtual void last(std::span<const IpPacket> batch) = 0;
  /// No packet of this point follows; the other's may continue.
  virtual void ended(Point) {}

  /// Delays of single packets found by the last call, for a method that measures them.  Valid until
  /// the next call.
  virtual std::span<const DelaySample> samples() const { return {}; }
  /// nullptr for a flow beyond OnewayOptions::max_flows.
  virtual const FlowKey* flow(std::uint32_t) const { return nullptr; }

  /// No packet of either point follows: samples that were held back are in samples() now.
  virtual void release_samples() {}

  /// Both captures have ended.  Called once.
  virtual OnewayResult finish() = 0;
};

}  // namespace sojourn
