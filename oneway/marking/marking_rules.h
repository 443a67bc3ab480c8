#pragma once
// Alternate marking as match-action tables: the paper's Tables 1 to 6 as data.
//
// Riesenberg et al., "Time-Multiplexed Parsing in Marking-based Network Telemetry", section 3.  The
// tables are ternary: a rule matches if every bit that is not '*' agrees, and the first match wins.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "wire/marking_carrier.h"

namespace sojourn {

enum class MarkingMethod : std::uint8_t {
  step,         ///< one bit alternates with the interval: loss
  pulse,        ///< one bit is set on one packet per interval: delay
  double_,      ///< two bits, a step and a pulse: both
  multiplexed,  ///< both in one bit: the pulse is the step's inverse in the middle of the interval
};
std::string_view name_of(MarkingMethod method);
std::span<const std::string_view> marking_method_names();
std::optional<MarkingMethod> marking_method_named(std::string_view name);

constexpr bool measures_loss(MarkingMethod method) { return method != MarkingMethod::pulse; }
constexpr bool measures_delay(MarkingMethod method) { return method != MarkingMethod::step; }
/// Bits that the method needs from its carrier.
constexpr unsigned marks_of(MarkingMethod method) {
  return method == MarkingMethod::double_ ? 2 : 1;
}

/// Bits of a match, most significant first, '*' for any: "01*".
struct Ternary {
  std::uint8_t value = 0;
  std::uint8_t care = 0;

  consteval Ternary(const char* pattern) {  // implicit, so that tables are readable
    for (; *pattern; ++pattern) {
      value = static_cast<std::uint8_t>(value << 1 | (*pattern == '1'));
      care = static_cast<std::uint8_t>(care << 1 | (*pattern != '*'));
    }
  }
  constexpr bool matches(unsigned bits) const { return (bits & care) == value; }
};

/// A point has one counter per colour; pulse marking counts nothing.
enum class Counter : std::uint8_t { none, zero, one };

struct InitiatingAction {
  Mark mark = 0;         ///< what the packet carries from here on
  std::uint8_t reg = 0;  ///< value of the flow's register from here on
  Counter counter = Counter::none;
  bool timestamp = false;
};
struct InitiatingRule {
  Ternary time_bits;  ///< colour and quarter (MarkingMoment)
  Ternary reg;
  InitiatingAction action;
};

/// At a terminating or intermediate point.
struct ObservingAction {
  Counter counter = Counter::none;
  bool timestamp = false;
};
struct ObservingRule {
  Ternary time_bits;
  Ternary mark;  ///< of double marking: pulse, step
  ObservingAction action;
};

/// The rules expanded, so that a packet costs one load: the first of the two lookups of
/// section 3.5.  It is one table for all flows; the second lookup finds the flow.
struct MarkingTables {
  std::array<InitiatingAction, 16> initiating;  ///< by reg and time bits
  std::array<ObservingAction, 32> observing;    ///< by mark and time bits
  /// Value of the register while a pulse of that colour is still to come.  In the paper the
  /// interval's earlier packets set it, so a flow silent in the first half would get no pulse; here
  /// a new interval sets it.
  std::array<std::uint8_t, 2> awaiting;

  const InitiatingAction& initiate(unsigned time_bits, unsigned reg) const {
    return initiating[reg << 3 | time_bits];
  }
  const ObservingAction& observe(unsigned time_bits, Mark mark) const {
    return observing[static_cast<std::size_t>(mark & 3u) << 3 | time_bits];
  }
};
const MarkingTables& marking_tables(MarkingMethod method);

}  // namespace sojourn
