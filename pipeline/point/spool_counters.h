#pragma once
// The state of a point's spool, in the counters of each report.

#include <cstdint>

#include "collector/report/point_report.h"
#include "ipfix/transport/spool.h"

namespace sojourn {

/// The `records` and `packets` of the current report already count as exported.
inline void put_spool(PointCounters& counters, const ipfix::SpoolCounters& spool,
                      std::uint64_t records, std::uint64_t packets) {
  counters.packets_spooled = spool.waiting.packets;
  counters.packets_discarded = spool.discarded.packets;
  counters.packets_exported =
      spool.appended.packets - spool.waiting.packets - spool.discarded.packets + packets;
  counters.records_spooled = spool.waiting.records;
  counters.records_discarded = spool.discarded.records;
  counters.records_exported =
      spool.appended.records - spool.waiting.records - spool.discarded.records + records;
}

}  // namespace sojourn
