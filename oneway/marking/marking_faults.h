#pragma once
// Why no figure is given for an interval.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sojourn {

enum class MarkingFault : std::uint8_t {
  idle,        ///< no packet was sent: loss and delay are unknown, not zero
  guard_band,  ///< clock error and delay reach too close to the next interval (RFC 9341 section 5)
  unsynchronised,    ///< the points disagree on which interval it is
  began_late,        ///< a point began to observe after the interval did
  read_too_early,    ///< a counter was read before the last packet of the interval could be in it
  more_out_than_in,  ///< surplus packets: duplicates, another path, or wrong clocks
  link_down,         ///< live: the interface of a point was down
  not_recorded,      ///< live: a point was stopped, or read its counters too late
  rewritten,         ///< live: a device on the path changes the marks, or the field they are in
  in_use,            ///< live: packets carried such marks before they were marked
  no_pulse,          ///< the first point saw no pulse
  lost_pulse,        ///< the last point did not: its delay is unknown, not zero
  double_pulse,      ///< a point saw several
  count_
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(MarkingFault::count_)>
    marking_fault_names = {"idle",           "guard-band",       "unsynchronised", "began-late",
                           "read-too-early", "more-out-than-in", "link-down",      "not-recorded",
                           "rewritten",      "in-use",           "no-pulse",       "lost-pulse",
                           "double-pulse"};

class MarkingFaults {
 public:
  constexpr void add(MarkingFault fault, bool holds = true) {
    if (holds) bits_ |= 1u << static_cast<unsigned>(fault);
  }
  constexpr bool has(MarkingFault fault) const {
    return bits_ >> static_cast<unsigned>(fault) & 1u;
  }
  constexpr bool none() const { return bits_ == 0; }

  /// Counts are only as good as the intervals in which they are counted.
  constexpr bool spoil_loss() const { return (bits_ & counting) != 0; }
  constexpr bool spoil_delay() const { return bits_ != 0; }

  /// "guard-band double-pulse"
  std::string text() const {
    std::string words;
    for (std::size_t i = 0; i < marking_fault_names.size(); ++i)
      if (has(static_cast<MarkingFault>(i))) {
        if (!words.empty()) words += ' ';
        words += marking_fault_names[i];
      }
    return words;
  }

  friend constexpr bool operator==(MarkingFaults, MarkingFaults) = default;

 private:
  static constexpr std::uint32_t counting =
      (1u << static_cast<unsigned>(MarkingFault::no_pulse)) - 1;

  std::uint32_t bits_ = 0;
};

}  // namespace sojourn
