#pragma once
// A live point of alternate marking: the program at its interface, and a report per interval.

#include <string>
#include <vector>

#include "capture/unique_fd.h"
#include "core/result.h"
#include "core/time.h"
#include "dataplane/attachment.h"
#include "dataplane/marking/marking_program.h"
#include "pipeline/marking/marking_reader.h"

namespace sojourn {

struct LiveMarkingOptions {
  std::string interface;
  MarkingProgramOptions program;
  TcDirection direction = TcDirection::egress;
  Duration clock_error{};    ///< of this point's clock: A of RFC 9341
  Duration largest_delay{};  ///< expected between the points
};

/// The room that RFC 9341 section 5 leaves for delays and clock errors.
Duration marking_room(MarkingMethod method, MarkingInterval length);

class LiveMarking {
 public:
  /// Fails if delays and clock error do not fit into the interval.  From here on packets are marked
  /// or counted.
  static Result<LiveMarking> start(const LiveMarkingOptions& options);

  /// "tc (tcx)"
  const std::string& how() const { return attachment_.how(); }
  bool interface_is_gone() const { return attachment_.is_gone(); }
  Timestamp since() const { return since_; }
  Timestamp now() const { return program_.now(); }
  const MarkingProgram& program() const { return program_; }

  /// Intervals that ended at least half an interval ago.  Call it about every quarter of an
  /// interval, and at the latest at next_due().
  std::vector<MarkingReport> advance();
  Timestamp next_due() const { return reader_.next_due(); }
  /// All remaining intervals; the time of reading shows which of them have not ended.
  std::vector<MarkingReport> finish();

 private:
  LiveMarking(const LiveMarkingOptions& options, MarkingProgram program, Attachment attachment,
              UniqueFd socket);
  bool is_down() const;
  /// A colour that changed late has the same effect as packets that came late.
  std::vector<MarkingReport> with_turn_lateness(std::vector<MarkingReport> reports);

  std::string interface_;
  MarkingInterval length_;
  MarkingProgram program_;
  Attachment attachment_;
  UniqueFd socket_;  ///< to ask for the link
  Timestamp since_;
  MarkingReader reader_;
};

}  // namespace sojourn
