#pragma once
// What the reader of a capture reports: its counters, and one line per problem.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/source.h"
#include "naming/name_table.h"

namespace sojourn {

/// Shared by the parts that read one capture, so that each can report a problem where it occurs.
struct CaptureLog {
  std::string name;  ///< of the file, as the user wrote it
  SourceCounters counters;
  std::vector<std::string> warnings;
  std::shared_ptr<NameTable> interfaces;  ///< where their names are stored; null if not needed

  /// A damaged capture can be wrong in a million places, so the number of lines is limited.
  static constexpr std::size_t most_warnings = 8;

  /// For Packet::interface.
  std::uint8_t interface_named(const std::string& interface) const {
    return interfaces ? static_cast<std::uint8_t>(interfaces->number_of(interface)) : 0;
  }

  void warn(const std::string& message) {
    if (warnings.size() < most_warnings) warnings.push_back(name + ": " + message);
  }
};

/// Counted for every packet, kept in registers while a batch is filled.
struct PacketTally {
  std::uint64_t bytes = 0;
  std::uint64_t backward_times = 0;
  Duration furthest_back{0};
  Timestamp last = Timestamp::min();

  void add(const Packet& packet) {
    bytes += packet.length;
    if (packet.time < last) [[unlikely]] {
      ++backward_times;
      furthest_back = std::max(furthest_back, difference(last, packet.time));
    }
    last = packet.time;
  }
  void report(SourceCounters& counters) const {
    counters.bytes = bytes;
    counters.backward_times = backward_times;
    counters.furthest_back = furthest_back;
  }
};

}  // namespace sojourn
