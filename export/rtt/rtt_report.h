#pragma once
// All results of a run of `sojourn rtt`, independent of the output format.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kind.h"
#include "core/time.h"
#include "estimate/change/group_changes.h"
#include "estimate/expectation.h"
#include "estimate/loss_tally.h"
#include "estimate/measurement.h"
#include "estimate/sla.h"
#include "estimate/sla_groups.h"

namespace sojourn {

using NamedCount = std::pair<std::string, std::uint64_t>;

/// Where the exact table had to stop reading.
struct StoppedShort {
  std::uint64_t packets = 0;  ///< before that
  std::uint64_t limit_bytes = 0;
  bool limit_named = false;  ///< by the user; otherwise it is half of the machine's memory
};

/// The input.
struct InputSummary {
  std::vector<std::string> files;  ///< or "interface eth0"
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;  ///< on the wire
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;
  std::vector<NamedCount> skipped;  ///< packets by the reason why they could not be used
  std::vector<std::string> warnings;
  std::uint64_t kernel_drops = 0;  ///< live: packets lost before they were read
  std::uint64_t passed = 0;        ///< live: all packets, those lost and those of no interest too
  std::optional<StoppedShort> stopped = {};  ///< the input was not read to its end
};

/// A part of a live run, for reports at regular intervals.
struct IntervalSummary {
  std::uint64_t number = 1;
  Timestamp start, end;
};

/// Where requests waited for their responses.
struct TableSummary {
  std::string name = "exact";
  std::uint64_t memory_bytes = 0;
  std::uint64_t connection_bytes = 0;  ///< for the state of connections, beside the table
  std::uint64_t limit_bytes = 0;       ///< exact: of both together, if named or reached
  std::string promise;                 ///< how far its samples can be trusted, in one sentence
  std::uint64_t seed = 0;
  std::vector<NamedCount> counters;  ///< what the table left out, by reason
};

/// Of a live measurement.
enum class Missed : std::uint8_t {
  packets,            ///< which the kernel had to drop
  samples,            ///< which its program could not add up
  samples_for_a_ring  ///< that had no room in it
};

/// The cost of a live measurement itself.
struct EngineSummary {
  std::string name;           ///< kernel or socket
  std::string how;            ///< "tc (tcx)", "xdp (native)", "AF_PACKET"
  std::string why;            ///< why this one, if the user did not choose
  std::uint64_t packets = 0;  ///< seen
  std::uint64_t missed = 0;   ///< in units of `missed_what`
  Missed missed_what = Missed::packets;
  std::optional<double> cost_ns;            ///< in the kernel's program, for each packet
  std::optional<double> entry_probability;  ///< of the last requests
  std::uint64_t asked = 0;                  ///< requests, each span of a handshake separately
  std::uint64_t turned_away = 0;            ///< of these, refused before they were looked up
  std::uint64_t kernel_bytes = 0, process_bytes = 0;
};

/// The comparison of the delays with those of a file.
struct ExpectSummary {
  std::string file;
  std::optional<Timestamp> first, last;  ///< when those in the file were measured
  ExpectComparison comparison;
};

/// The data of every report of `rtt`.  `measurement` is borrowed and must outlive the report.
struct RttReport {
  InputSummary input;
  TableSummary table;
  const Measurement* measurement = nullptr;
  KindSet kinds = KindSet::usual();  ///< those that were asked for
  std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
  bool kinds_named = false;  ///< by the user, one by one
  std::size_t top = 10;      ///< maximum number of groups
  GroupOrder sort = GroupOrder::samples;
  bool draw_heatmap = false;          ///< in the report itself
  unsigned threads = 1;               ///< for the computation of quantiles
  std::vector<SlaResult> sla;         ///< rules about the whole
  std::vector<SlaGroups> sla_groups;  ///< rules about each group
  std::optional<ExpectSummary> expect;
  std::optional<GroupChanges> changes;  ///< with --split, or groups in the file of --expect
  std::optional<EngineSummary> engine;  ///< of a live run
  /// All figures are about this part of the run.  A request may be answered in the next part, so
  /// nothing is reported about unanswered requests.
  std::optional<IntervalSummary> interval;
  const LossTally* loss = nullptr;  ///< borrowed like `measurement`; null if not asked for
  double loss_followed = 1;         ///< share of connections that memory allowed to follow
  Duration elapsed{};               ///< how long the run took; 0 if unknown
};

}  // namespace sojourn
