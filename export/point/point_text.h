#pragma once
// What a measurement point prints about its own run: a line while it runs, and a ledger at the end.

#include <cstdint>
#include <optional>
#include <string>

#include "collector/report/point_report.h"
#include "ipfix/transport/endpoint.h"
#include "ipfix/transport/spool.h"

namespace sojourn {

/// What a point of flows and round trips has seen.
struct PointFigures {
  std::string name;
  PointCounters counters;
  std::optional<std::uint64_t> round_trips = {};  ///< if it measures any
  std::uint64_t round_trips_left_out = 0;
};

/// Where its packets were selected.
struct PointSelecting {
  std::string in_kernel;      ///< how, as "tc (tcx)"; empty: not there
  std::string why_in_socket;  ///< if the kernel was requested but not available
  std::uint64_t undecided = 0;
  std::uint64_t round_trips_missed = 0;
};

/// What passes, what is selected, and where it goes; without a newline.
std::string point_status(const PointFigures& figures, double packets_per_second,
                         const ipfix::Endpoint& collector, bool connected);
/// The ledger of the run, as the last lines of a log.
std::string point_summary(const PointFigures& figures, const PointSelecting& selecting,
                          const ipfix::Endpoint& collector, const ipfix::SpoolCounters& spool);
/// The same of a point that counts marks or reference packets.
std::string counting_point_summary(const std::string& name, std::uint64_t packets,
                                   const ipfix::Endpoint& collector,
                                   const ipfix::SpoolCounters& spool);

}  // namespace sojourn
