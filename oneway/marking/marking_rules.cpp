#include "oneway/marking/marking_rules.h"

namespace sojourn {
namespace {

using enum Counter;
constexpr bool timestamp = true;

// Table 1: step marking, initiating.
constexpr InitiatingRule step_initiating[] = {
    // time  reg   mark reg counter
    {"0**", "*", {0, 0, zero}},
    {"1**", "*", {1, 0, one}},
};

// Table 2: step marking, terminating.
constexpr ObservingRule step_observing[] = {
    // time  mark
    {"***", "*0", {zero}},
    {"***", "*1", {one}},
};

// Table 3: pulse marking, initiating.  The register is the time bit of the packet before.
constexpr InitiatingRule pulse_initiating[] = {
    {"1**", "0", {1, 1, none, timestamp}},
    {"1**", "1", {0, 1, none}},
    {"0**", "1", {1, 0, none, timestamp}},
    {"0**", "0", {0, 0, none}},
};

// Table 4: pulse marking, terminating.
constexpr ObservingRule pulse_observing[] = {
    {"***", "*1", {none, timestamp}},
    {"***", "**", {none}},
};

// Double marking has no table in the paper: the step of Table 1, and in the third quarter the pulse
// of Table 5 in a bit of its own, {pulse, step}.
constexpr InitiatingRule double_initiating[] = {
    {"010", "0", {0b10, 1, zero, timestamp}},
    {"010", "1", {0b00, 1, zero}},
    {"0**", "*", {0b00, 0, zero}},
    {"110", "1", {0b11, 0, one, timestamp}},
    {"110", "0", {0b01, 0, one}},
    {"1**", "*", {0b01, 1, one}},
};
constexpr ObservingRule double_observing[] = {
    {"***", "10", {zero, timestamp}},
    {"***", "11", {one, timestamp}},
    {"***", "00", {zero}},
    {"***", "01", {one}},
};

// Table 5: multiplexed marking, initiating.
constexpr InitiatingRule multiplexed_initiating[] = {
    {"010", "0", {1, 1, zero, timestamp}}, {"010", "1", {0, 1, zero}}, {"0**", "*", {0, 0, zero}},
    {"110", "1", {0, 0, one, timestamp}},  {"110", "0", {1, 0, one}},  {"1**", "*", {1, 1, one}},
};

// Table 6: multiplexed marking, terminating.  The pulse counts under its interval's colour, though
// its mark is that of the other.
constexpr ObservingRule multiplexed_observing[] = {
    {"001", "*1", {zero, timestamp}},
    {"010", "*1", {zero, timestamp}},
    {"101", "*0", {one, timestamp}},
    {"110", "*0", {one, timestamp}},
    {"***", "*0", {zero}},
    {"***", "*1", {one}},
};

constexpr MarkingTables spread(std::span<const InitiatingRule> initiating,
                               std::span<const ObservingRule> observing) {
  MarkingTables tables{};
  for (unsigned time_bits = 0; time_bits < 8; ++time_bits) {
    for (unsigned reg = 0; reg < 2; ++reg)
      for (const InitiatingRule& rule : initiating)
        if (rule.time_bits.matches(time_bits) && rule.reg.matches(reg)) {
          tables.initiating[reg << 3 | time_bits] = rule.action;
          if (rule.action.timestamp)
            tables.awaiting[time_bits >> 2] = static_cast<std::uint8_t>(reg);
          break;
        }
    for (unsigned mark = 0; mark < 4; ++mark)
      for (const ObservingRule& rule : observing)
        if (rule.time_bits.matches(time_bits) && rule.mark.matches(mark)) {
          tables.observing[mark << 3 | time_bits] = rule.action;
          break;
        }
  }
  return tables;
}

constexpr std::array<MarkingTables, 4> all_tables = {
    spread(step_initiating, step_observing), spread(pulse_initiating, pulse_observing),
    spread(double_initiating, double_observing),
    spread(multiplexed_initiating, multiplexed_observing)};

constexpr std::array<std::string_view, 4> names = {"step", "pulse", "double", "multiplexed"};

}  // namespace

const MarkingTables& marking_tables(MarkingMethod method) {
  return all_tables[static_cast<std::size_t>(method)];
}

std::string_view name_of(MarkingMethod method) { return names[static_cast<std::size_t>(method)]; }

std::span<const std::string_view> marking_method_names() { return names; }

std::optional<MarkingMethod> marking_method_named(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<MarkingMethod>(i);
  return std::nullopt;
}

}  // namespace sojourn
