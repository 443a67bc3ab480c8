// Every row of the paper's Tables 1 to 6, typed from the paper, against the tables used for
// packets.

#include "oneway/marking/marking_rules.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sojourn {
namespace {

using enum MarkingMethod;

/// The bit strings that a pattern with '*' matches.
std::vector<unsigned> expanded(const std::string& pattern) {
  std::vector<unsigned> values = {0};
  for (const char letter : pattern) {
    std::vector<unsigned> next;
    for (const unsigned value : values)
      for (const unsigned bit : {0u, 1u})
        if (letter == '*' || letter == static_cast<char>('0' + bit))
          next.push_back(value << 1 | bit);
    values = next;
  }
  return values;
}

// A row as text: what must hold for the packets that it is the first to match.
struct InitiatingRow {
  std::string time, reg;
  int mark;
  int next_reg;  // -1: not in the paper
  int counter;   // -1: none
  bool timestamp;
};
struct ObservingRow {
  std::string time, mark;
  int counter;
  bool timestamp;
};

int number_of(Counter counter) { return counter == Counter::none ? -1 : counter == Counter::one; }

void walk(MarkingMethod method, const std::vector<InitiatingRow>& rows) {
  bool taken[8][2] = {};
  int checked = 0;
  for (const InitiatingRow& row : rows)
    for (const unsigned time : expanded(row.time))
      for (const unsigned reg : expanded(row.reg)) {
        if (std::exchange(taken[time][reg], true)) continue;
        SCOPED_TRACE(std::string{name_of(method)} + " time bits " + row.time + " register " +
                     row.reg);
        const InitiatingAction& action = marking_tables(method).initiate(time, reg);
        EXPECT_EQ(action.mark, row.mark);
        if (row.next_reg >= 0) {
          EXPECT_EQ(action.reg, row.next_reg);
        }
        EXPECT_EQ(number_of(action.counter), row.counter);
        EXPECT_EQ(action.timestamp, row.timestamp);
        ++checked;
      }
  EXPECT_EQ(checked, 16);
}

void walk(MarkingMethod method, const std::vector<ObservingRow>& rows) {
  bool taken[8][4] = {};
  for (const ObservingRow& row : rows)
    for (const unsigned time : expanded(row.time))
      for (const unsigned mark : expanded(row.mark)) {
        if (std::exchange(taken[time][mark], true)) continue;
        SCOPED_TRACE(std::string{name_of(method)} + " time bits " + row.time + " mark " + row.mark);
        const ObservingAction& action =
            marking_tables(method).observe(time, static_cast<Mark>(mark));
        EXPECT_EQ(number_of(action.counter), row.counter);
        EXPECT_EQ(action.timestamp, row.timestamp);
      }
}

TEST(MarkingRules, Table1StepInitiating) {
  walk(step,
       std::vector<InitiatingRow>{{"0**", "*", 0, -1, 0, false}, {"1**", "*", 1, -1, 1, false}});
}
TEST(MarkingRules, Table2StepTerminating) {
  walk(step, std::vector<ObservingRow>{{"***", "0", 0, false}, {"***", "1", 1, false}});
}
TEST(MarkingRules, Table3PulseInitiating) {
  walk(pulse, std::vector<InitiatingRow>{{"1**", "0", 1, 1, -1, true},
                                         {"1**", "1", 0, 1, -1, false},
                                         {"0**", "1", 1, 0, -1, true},
                                         {"0**", "0", 0, 0, -1, false}});
}
TEST(MarkingRules, Table4PulseTerminating) {
  walk(pulse, std::vector<ObservingRow>{{"***", "1", -1, true}, {"***", "0", -1, false}});
}
TEST(MarkingRules, Table5MultiplexedInitiating) {
  walk(multiplexed, std::vector<InitiatingRow>{{"010", "0", 1, 1, 0, true},
                                               {"010", "1", 0, 1, 0, false},
                                               {"0**", "*", 0, 0, 0, false},
                                               {"110", "1", 0, 0, 1, true},
                                               {"110", "0", 1, 0, 1, false},
                                               {"1**", "*", 1, 1, 1, false}});
}
TEST(MarkingRules, Table6MultiplexedTerminating) {
  walk(multiplexed, std::vector<ObservingRow>{{"001", "1", 0, true},
                                              {"010", "1", 0, true},
                                              {"101", "0", 1, true},
                                              {"110", "0", 1, true},
                                              {"***", "0", 0, false},
                                              {"***", "1", 1, false}});
}
/// Ours: double marking writes what multiplexed marking writes before the exclusive or.
TEST(MarkingRules, MultiplexedIsTheExclusiveOrOfDouble) {
  for (unsigned time = 0; time < 8; ++time) {
    for (unsigned reg = 0; reg < 2; ++reg) {
      const InitiatingAction& two = marking_tables(double_).initiate(time, reg);
      const InitiatingAction& one = marking_tables(multiplexed).initiate(time, reg);
      EXPECT_EQ((two.mark & first_mark) ^ (two.mark >> 1), one.mark);
      EXPECT_EQ(two.reg, one.reg);
      EXPECT_EQ(two.counter, one.counter);
      EXPECT_EQ(two.timestamp, one.timestamp);
      // The pulse stays visible: its colour is read beside it.
      const ObservingAction& seen = marking_tables(double_).observe(time, two.mark);
      EXPECT_EQ(seen.counter, two.counter);
      EXPECT_EQ(seen.timestamp, two.timestamp);
    }
  }
}
/// At zero delay both ends do the same with every packet, in all methods.
TEST(MarkingRules, BothEndsAgreeOnEveryPacket) {
  for (const MarkingMethod method : {step, pulse, double_, multiplexed})
    for (unsigned time = 0; time < 8; ++time)
      for (unsigned reg = 0; reg < 2; ++reg) {
        const InitiatingAction& sent = marking_tables(method).initiate(time, reg);
        const ObservingAction& seen = marking_tables(method).observe(time, sent.mark);
        EXPECT_EQ(seen.counter, sent.counter) << name_of(method) << " " << time << " " << reg;
        EXPECT_EQ(seen.timestamp, sent.timestamp) << name_of(method) << " " << time << " " << reg;
      }
}

TEST(MarkingRules, WhileAPulseIsAwaitedTheRegisterSaysSo) {
  for (const MarkingMethod method : {pulse, double_, multiplexed})
    for (const unsigned colour : {0u, 1u}) {
      const unsigned third_quarter = colour << 2 | 2;
      EXPECT_TRUE(marking_tables(method)
                      .initiate(third_quarter, marking_tables(method).awaiting[colour])
                      .timestamp);
    }
}

TEST(MarkingRules, MethodsHaveNames) {
  for (const MarkingMethod method : {step, pulse, double_, multiplexed})
    EXPECT_EQ(marking_method_named(name_of(method)), method);
  EXPECT_FALSE(marking_method_named("triple"));
}

}  // namespace
}  // namespace sojourn
