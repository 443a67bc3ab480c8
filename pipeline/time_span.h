#pragma once
// When the packets of a run passed.

#include <optional>
#include <span>

#include "core/packet.h"
#include "core/time.h"

namespace sojourn {

/// Earliest and latest time of the packets seen.
struct TimeSpan {
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;

  void extend(std::span<const Packet> batch, bool in_order = false) {
    if (batch.empty()) return;
    if (in_order) return merge({batch.front().time, batch.back().time});
    Timestamp earliest = batch.front().time, latest = earliest;
    for (const Packet& packet : batch) {
      earliest = packet.time < earliest ? packet.time : earliest;
      latest = packet.time > latest ? packet.time : latest;
    }
    merge({earliest, latest});
  }

  void merge(const TimeSpan& other) {
    if (other.first && (!first || *other.first < *first)) first = other.first;
    if (other.last && (!last || *other.last > *last)) last = other.last;
  }
};

}  // namespace sojourn
