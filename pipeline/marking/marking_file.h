#pragma once
// The records of a live point, as they are read back.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "oneway/marking/marking_collector.h"
#include "oneway/marking/marking_monitor.h"

namespace sojourn {

struct MarkingPointFile {
  std::string point;
  std::string duty;
  MarkingMethod method = MarkingMethod::multiplexed;
  std::string carrier;
  MarkingInterval length;
  std::optional<Duration> clock_error;  ///< if the point knew its clock's error
  bool copies = false;                  ///< the point looked for duplicate packets
  std::vector<std::string> flows;       ///< by number of the records
  PointRecords records;
};

/// Builds a file from the records of a point, whatever the order of its runs.
class MarkingFileBuilder {
 public:
  MarkingPointFile file;  ///< who and how, for the caller to fill in

  /// A record of the run that began at `since`.  Without a flow it says that the interval was read.
  void add(Timestamp since, MarkingRecord record, std::optional<MarkingFault> doubt,
           const std::string& flow);
  MarkingPointFile finish();

 private:
  /// Says that an interval was read, in the run that began at `since`.
  struct Reading {
    std::int64_t interval = 0;
    Timestamp since, read_at;
  };
  void doubt_edges_of_runs();

  std::vector<Reading> readings_;
  std::map<std::string, std::uint32_t> numbers_;  ///< of flows
};

/// Two or more points of the same marking, with the same numbers for the same flows.
struct JoinedMarking {
  MarkingSetup setup;
  std::optional<Duration> clock_error;  ///< of the two ends together, if both are known
  Duration largest_clock_error{};       ///< of any two of them
  std::vector<PointRecords> points;
};
/// The error says in what they differ.
Result<JoinedMarking> join_marking(const std::vector<MarkingPointFile>& files);

}  // namespace sojourn
