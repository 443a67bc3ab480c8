#pragma once
// How a store represents delays: histogram cells by group of flows, which merge by addition.

#include <array>
#include <cstdint>
#include <vector>

#include "core/address.h"
#include "core/flow_tag.h"
#include "core/kind.h"
#include "core/time.h"
#include "estimate/distribution/distribution.h"

namespace sojourn {

/// What is counted: delays of a kind of round trip, one-way delays of a segment, or its packets.
enum class Measure : std::uint8_t { oneway = 16, loss = 17 };
constexpr std::uint8_t number_of(Measure measure) { return static_cast<std::uint8_t>(measure); }
constexpr std::uint8_t number_of(Kind kind) { return static_cast<std::uint8_t>(kind); }

/// The bins of Measure::loss hold packets instead of delays.
enum class LossBin : std::int32_t {
  sent,     ///< selected at the first point, in flows that the last one has seen
  arrived,  ///< of these, at the last point
  unseen,   ///< at the first point, in the segment's direction, in flows that the last one
            ///< never saw: lost, or took another path
};

/// The histogram to which a cell belongs.
struct CellSeries {
  Timestamp slice{};          ///< beginning of a slice of `finest_slice`
  std::uint32_t subject = 0;  ///< number of a segment or a point
  std::uint8_t measure = 0;
  std::uint8_t leg = 0;
  std::uint8_t prefix_length = 0;  ///< 0 of an IPv4 address: all traffic
  IpAddress prefix;

  friend auto operator<=>(const CellSeries&, const CellSeries&) = default;
};

inline constexpr Duration finest_slice = std::chrono::seconds{10};

/// The beginning of the slice of this length; also before 1970.
constexpr Timestamp slice_of(Timestamp time, Duration length) {
  const std::int64_t ns = to_ns(time), step = to_ns(length), rest = ns % step;
  return timestamp_from_ns(ns - rest - (rest < 0 ? step : 0));
}

struct HistogramCell {
  std::uint8_t flow_group = 0;  ///< FlowTag::group()
  std::int32_t bin = 0;         ///< of LogBuckets, or a LossBin
  double weight = 0;
  double squares = 0;  ///< sum of squared weights

  friend bool operator==(const HistogramCell&, const HistogramCell&) = default;
};

/// Limit for numbers from outside: real traffic never has more requests, and sums of them fit an
/// integer.
constexpr bool is_possible_weight(double weight, double squares) {
  constexpr double most = 0x1p50;
  return weight > 0 && weight <= most && squares > 0 && squares <= most * most;
}

/// The cells of one series, by group of flows and bin, and which marks its flows have set.
struct CellBlock {
  std::array<std::uint64_t, FlowTag::groups> marks{};
  std::vector<HistogramCell> cells;  ///< sorted by (flow_group, bin), no two alike

  bool empty() const { return cells.empty(); }
  void add(const CellBlock& other);
  /// Adds the cells to a distribution of delays, with all that its intervals need.
  void add_to(Distribution& distribution) const;

  friend bool operator==(const CellBlock&, const CellBlock&) = default;
};

/// As bytes: some 3 per cell for weights of 1.
std::vector<std::uint8_t> encode(const CellBlock& block);
/// False for bytes that `encode` does not write; `block` is then unspecified.
bool decode(const std::uint8_t* bytes, std::size_t size, CellBlock& block);

}  // namespace sojourn
