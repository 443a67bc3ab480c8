#pragma once
// What a live point of alternate marking reports about its intervals, as plain values, independent
// of transport and storage.

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"

namespace sojourn {

/// What all counts of a point have in common, from its start to its end.
struct MarkingRun {
  std::string duty;                          ///< "mark", "observe" or "restore"
  std::string method;                        ///< "multiplexed"
  std::string carrier;                       ///< "dscp:1,0"
  int exponent = 0;                          ///< intervals are of 2^exponent seconds
  std::optional<Duration> clock_error = {};  ///< if it is known
  Timestamp since{};
  bool copies = false;  ///< it looks for packets that come twice
  bool ended = false;   ///< in its last report: it is not missed from here on

  static constexpr int shortest = -10, longest = 6;  ///< exponents
  /// To the nanosecond.
  Duration length() const {
    constexpr std::int64_t second = 1'000'000'000;
    return Duration{exponent >= 0 ? second << exponent : second >> -exponent};
  }
  /// Between two reports, at most.
  Duration longest_interval() const { return length(); }

  friend bool operator==(const MarkingRun&, const MarkingRun&) = default;
};

/// One flow in one interval; without a flow, that the interval was read, and whether the point
/// trusts it.  The parity of the interval's number is its colour.
struct MarkCount {
  std::int64_t interval = 0;
  Timestamp start{};
  Timestamp read_at{};
  std::string doubt;  ///< why the point does not trust the interval; empty if it does
  std::string flow;   ///< a filter: "destination=192.0.2.0/24,protocol=udp", "any"
  std::uint64_t packets = 0;
  std::uint32_t pulses = 0;
  Timestamp pulse_time{};
  Duration late{}, early{};
  std::uint64_t middle = 0, contrary = 0, other = 0, marked_before = 0;
  std::uint32_t repeats = 0;

  friend bool operator==(const MarkCount&, const MarkCount&) = default;
};

/// Counts of one run of a point, as they are handed over and found again.
struct PointMarks {
  std::string point;
  std::uint64_t instance = 0;
  MarkingRun run;
  std::vector<MarkCount> counts;
};

}  // namespace sojourn
