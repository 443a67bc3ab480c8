#pragma once
// A live point of alternate marking: the program at its interface, and a report per interval.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"
#include "core/time.h"
#include "dataplane/attachment.h"
#include "dataplane/marking/marking_program.h"
#include "oneway/marking/marking_faults.h"

namespace sojourn {

struct LiveMarkingOptions {
  std::string interface;
  MarkingProgramOptions program;
  TcDirection direction = TcDirection::egress;
  Duration clock_error{};    ///< of this point's clock: A of RFC 9341
  Duration largest_delay{};  ///< that is expected between the points
};

/// What the point says of one interval.
struct MarkingReport {
  std::int64_t interval = 0;
  Timestamp read_at;
  std::optional<MarkingFault> doubt;   ///< why this point does not trust it
  std::vector<MarkingRecord> records;  ///< of flows that had packets
  std::uint64_t strays = 0;  ///< packets that came so late that their counters had been read
};

/// The room that RFC 9341 section 5 leaves for delays and clock errors.
Duration marking_room(MarkingMethod method, MarkingInterval length);

class LiveMarking {
 public:
  /// Refuses if delays and clock error do not fit into the interval.  From here on packets are
  /// marked or counted.
  static Result<LiveMarking> start(const LiveMarkingOptions& options);

  /// "tc (tcx)"
  const std::string& how() const { return attachment_.how(); }
  bool interface_is_gone() const { return attachment_.is_gone(); }
  Timestamp since() const { return since_; }
  Timestamp now() const { return program_.now(); }
  const MarkingProgram& program() const { return program_; }

  /// Intervals that ended half an interval ago or more.  To be called every quarter of an interval
  /// or so, and at least when next_due() has come.
  std::vector<MarkingReport> advance();
  Timestamp next_due() const;
  /// All that is left; intervals that go on say so by when they were read.
  std::vector<MarkingReport> finish();

 private:
  LiveMarking(const LiveMarkingOptions& options, MarkingProgram program, Attachment attachment,
              UniqueFd socket);
  bool is_down() const;
  void look_at_link(std::int64_t interval);
  MarkingReport read(std::int64_t interval, Timestamp now);

  std::string interface_;
  MarkingInterval length_;
  MarkingProgram program_;
  Attachment attachment_;
  UniqueFd socket_;  ///< to ask for the link
  Timestamp since_;
  std::int64_t next_;       ///< interval to be read
  std::int64_t last_look_;  ///< interval in which the link was looked at
  bool was_down_ = false;
  std::set<std::int64_t> down_;  ///< intervals in which it was down, as far as they are to be read
  Duration turn_lateness_{};
};

}  // namespace sojourn
