#pragma once
// What a live point wrote down, as it is read again.

#include <cstdint>
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
  std::optional<Duration> clock_error;  ///< if the point knew how good its clock is
  bool copies = false;                  ///< the point looked for packets that come twice
  std::vector<std::string> flows;       ///< by number of the records
  PointRecords records;
};

/// Two or more points of the same marking, with the same numbers for the same flows.
struct JoinedMarking {
  MarkingSetup setup;
  std::optional<Duration> clock_error;  ///< of the two ends together, if both knew it
  Duration largest_clock_error{};       ///< of any two of them
  std::vector<PointRecords> points;
};
/// The error says in what they differ.
Result<JoinedMarking> join_marking(const std::vector<MarkingPointFile>& files);

}  // namespace sojourn
