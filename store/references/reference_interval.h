#pragma once
// What a live point measures of flows by reference packets (RLI), as plain values, independent of
// transport and storage.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/flow_key.h"
#include "core/time.h"

namespace sojourn {

/// What all intervals of a point have in common, from its start to its end.
struct ReferenceRun {
  Timestamp since{};
  Duration every = std::chrono::seconds{10};  ///< between two reports
  std::optional<Duration> clock_error = {};   ///< if it is known
  bool ended = false;                         ///< in its last report: it is not missed from here on

  /// For the reference packet behind the last packets of an interval, before it is handed over.
  static constexpr Duration patience = std::chrono::seconds{2};

  Duration length() const { return every; }
  /// Between two reports, at most.
  Duration longest_interval() const { return every + patience; }

  friend bool operator==(const ReferenceRun&, const ReferenceRun&) = default;
};

/// One flow in one interval.
struct ReferenceFlow {
  FlowKey key;
  std::uint64_t packets = 0;    ///< all
  std::uint64_t estimated = 0;  ///< of them, those with a reference packet on either side
  std::uint64_t left_only = 0;  ///< of these, by the one before them alone
  double mean_ns = 0, deviation_ns = 0;

  friend bool operator==(const ReferenceFlow&, const ReferenceFlow&) = default;
};

/// What came by in an interval besides: the reference packets, and packets without an estimate by
/// reason.  (What is missing to all of these waited for a reference packet that did not come.)
struct ReferenceSeen {
  std::uint64_t references = 0;  ///< that were used
  std::uint64_t lost = 0;        ///< by their sequence numbers
  std::uint64_t reordered = 0;   ///< overtaken by a later one, or twice the same
  std::uint64_t of_others = 0;   ///< of another sender
  std::uint64_t off = 0;         ///< 17 s or more off the first one: a clock was set
  std::uint64_t before_first = 0, after_last = 0;  ///< packets of flows
  std::uint64_t no_room = 0;                       ///< packets of flows that are not counted
  std::uint64_t unread = 0;                        ///< not IP, or cut: of no flow

  /// Packets that are in no flow.
  std::uint64_t without_flow() const { return no_room + unread; }
  ReferenceSeen& operator+=(const ReferenceSeen& other);

  friend bool operator==(const ReferenceSeen&, const ReferenceSeen&) = default;
};

/// What one interval has shown.  `seen` is nothing where it was told elsewhere, or was lost.
struct ReferenceInterval {
  Timestamp begin{}, end{};
  std::vector<ReferenceFlow> flows;
  /// Meanwhile; packets may lag behind those of the flows a little.
  std::optional<ReferenceSeen> seen;

  std::uint64_t packets() const;
  std::uint64_t estimated() const;
  std::uint64_t left_only() const;
  double mean_ns() const;  ///< of all estimated packets
  /// As the ledger counts: one for each flow, and one for the interval.
  std::size_t records() const { return flows.size() + (seen ? 1 : 0); }

  friend bool operator==(const ReferenceInterval&, const ReferenceInterval&) = default;
};

/// Intervals of one run of a point, as they are handed over.
struct PointReferences {
  std::string point;
  std::uint64_t instance = 0;
  ReferenceRun run;
  std::vector<ReferenceInterval> intervals;
};

/// The last of the list if it is of this time, else a new one behind it.
ReferenceInterval& interval_of(std::vector<ReferenceInterval>& list, Timestamp begin,
                               Timestamp end);
/// A part of an interval that came in several messages, behind those that are there.
void append_part(std::vector<ReferenceInterval>& list, const ReferenceInterval& part);

}  // namespace sojourn
