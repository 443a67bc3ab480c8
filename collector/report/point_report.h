#pragma once
// What a measurement point reports to a collector, as plain values, independent of the transport.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/address.h"
#include "core/kind.h"
#include "core/time.h"
#include "oneway/cnf/flow_record.h"
#include "store/marks/mark_count.h"
#include "store/references/reference_interval.h"

namespace sojourn {

/// Who reports.
struct PointIdentity {
  std::string name;
  /// Drawn when the point starts: counters and report numbers begin anew with another instance.
  std::uint64_t instance = 0;

  friend auto operator<=>(const PointIdentity&, const PointIdentity&) = default;
};

/// How the point selects and labels packets.  Records of two points can be joined only if all of it
/// is equal.
struct Selection {
  std::string hash = "bob";  ///< what selects; labels are always by BOB
  double sampling = 1;
  bool sample_flows = false;
  /// Of the secret init value, by a one-way function of 64 bits.  Never the secret itself.
  std::uint64_t secret_fingerprint = 0;
  std::uint32_t payload_offset = 0;
  std::uint32_t payload_bytes = 40;

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// The kernel's opinion of the point's clock (adjtimex).
struct ClockState {
  bool synchronised = false;
  Duration maximum_error{};

  friend bool operator==(const ClockState&, const ClockState&) = default;
};

/// The point's side of the ledger: totals since its instance began, as of when it sent the report,
/// whose own records count as exported.
///
///     packets seen             = not selected + selected
///     packets selected         = in the cache + in records that were exported, spooled, discarded
///     records                  = exported + spooled + discarded
struct PointCounters {
  std::uint64_t packets_seen = 0;
  std::uint64_t packets_not_selected = 0;
  std::uint64_t packets_selected = 0;
  std::uint64_t packets_in_cache = 0;  ///< in flows that have no record yet
  std::uint64_t packets_exported = 0;  ///< in records
  std::uint64_t packets_spooled = 0;
  std::uint64_t packets_discarded = 0;  ///< there was no room to let them wait
  std::uint64_t records_exported = 0;
  std::uint64_t records_spooled = 0;
  std::uint64_t records_discarded = 0;
  std::uint64_t packets_dropped = 0;  ///< by the kernel, before the point could see them

  friend bool operator==(const PointCounters&, const PointCounters&) = default;
};

/// Round-trip delays of one kind, leg, group of flows and delay bin in one slice of time.
struct RttCell {
  Timestamp slice{};  ///< its beginning
  Duration length = std::chrono::seconds{10};
  Kind kind = Kind::tcp;
  Leg leg = Leg::server;
  /// Whose delays: an address masked to `prefix_length`; length 0 of an IPv4 address: all traffic.
  IpAddress prefix;
  std::uint8_t prefix_length = 0;
  std::uint8_t flow_group = 0;  ///< FlowTag::group()
  std::int32_t bin = 0;         ///< LogBuckets::index_of(delay in ns)
  double weight = 0;
  double squared_weights = 0;    ///< sum of w^2; equals `weight` where all weigh 1
  std::uint64_t flow_marks = 0;  ///< bit FlowTag::mark() of each flow

  friend bool operator==(const RttCell&, const RttCell&) = default;
};

/// One message of a point.  A selection or clock that it leaves out is unchanged since an earlier
/// message.
struct PointReport {
  PointIdentity point;
  /// Counts the messages of an instance from 1 on.  A message that is sent again, or from a spool,
  /// keeps its number, so it is counted once.  0: the sender has no numbers, and repeated messages
  /// cannot be recognised.
  std::uint64_t number = 0;
  Timestamp exported{};  ///< by the point's clock
  std::optional<Selection> selection;
  std::optional<ClockState> clock;
  std::optional<PointCounters> counters;
  std::vector<FlowRecord> records;
  std::vector<RttCell> cells;
  std::optional<MarkingRun> marking;  ///< which the marks are of
  std::vector<MarkCount> marks;
  std::optional<ReferenceRun> referencing;  ///< which the references are of
  std::vector<ReferenceInterval> references;
  /// Records of others, which carry no label: counted, not joined.
  std::uint64_t records_without_label = 0;
  /// Records that the transport's sequence numbers miss before this message; negative when late
  /// ones that were missed before have come.
  std::int64_t missing_records = 0;
};

}  // namespace sojourn
