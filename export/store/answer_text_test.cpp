#include <gtest/gtest.h>

#include "export/store/answer_report.h"
#include "export/store/test_answers.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(AnswerText, SaysWhenTheNewestDataAreOlderThanTheTimeAskedFor) {
  AnswerReport old = empty_answer();
  old.answer.subjects.push_back(subject_of("north:south", 25h));
  old.answer.subjects.push_back(subject_of("south:north", 26h));
  EXPECT_EQ(answer_text(old, {}),
            "From 2026-11-16 11:00:00 UTC to 2026-11-16 12:00:00 UTC, written 3 s ago\n"
            "\n"
            "Nothing in this time. The newest data are 25 h old: try --since 26h.\n");
}

TEST(AnswerText, SaysThatAStoreIsEmpty) {
  EXPECT_NE(answer_text(empty_answer(), {}).find("The store holds no delays yet."),
            std::string::npos);
}

TEST(AnswerText, ExplainsItsIntervalsUnderATable) {
  AnswerReport full = empty_answer();
  AnswerRow row;
  row.course = {5ms};
  row.delays.add(5ms, 1);
  full.answer.subjects.push_back(subject_of("north", 100h));
  full.answer.subjects[0].rows.push_back(std::move(row));
  full.quantiles = {0.5, 0.95, 0.999};
  const std::string text = answer_text(full, {});
  for (const char* const quantile : {" p50 ", " p95 ", " p99.9"})
    EXPECT_NE(text.find(quantile), std::string::npos) << text;
  EXPECT_NE(text.find("north   newest data 4 days old"), std::string::npos) << text;
  EXPECT_NE(text.find("? stands where there are too few flows"), std::string::npos) << text;
}

TEST(AnswerText, HasARowForEachKindAndPrefixWithLossAndClocks) {
  EXPECT_EQ(
      answer_text(full_answer(), {.color = false, .unicode = true}),
      R"(From 2026-11-16 11:00:00 UTC to 2026-11-16 12:00:00 UTC, written 3 s ago, losses until 70 s ago

north:south   newest data 10 s old
  traffic       samples  effective            p50            p95         p99            loss (95 %)  over time
  all               100        100  14.95ms ±0.98  19.41ms ±0.43  19.80ms ±?  10.0 % (5.00 to 20.0)  ▁ ▄█
  192.0.2.0/24      100        100  14.95ms ±0.98  19.41ms ±0.43  19.80ms ±?                      -
  Loss is at most the greater figure: some flows were never seen again, and may have gone another way.
  `collect --path` says that they had to come.
  clocks: both points state errors of at most 100.0 us together
  clocks: by traffic both ways the last is ahead by -50.00 us to 60.00 us

north   newest data 3 min old
  traffic         samples  effective         p50         p95         p99  loss (95 %)  over time
  tcp server all        2          1  5.000ms ±?  5.000ms ±?  5.000ms ±?            -  ▁
  clocks: not both points are synchronised

± covers the true quantile with 95 % confidence, by how much flows differ; ? stands where there are too few flows to tell.
)");
}

TEST(AnswerText, DrawsTheCourseInAsciiToo) {
  const std::string text = answer_text(full_answer(), {.color = false, .unicode = false});
  EXPECT_NE(text.find("  _ -#\n"), std::string::npos) << text;
}

TEST(AnswerText, LedgersShowWhereEverythingWent) {
  AnswerReport report = empty_answer();
  report.with_delays = false;
  report.ledgers = {full_ledger()};
  EXPECT_EQ(answer_text(report, {}),
            R"(From 2026-11-16 11:00:00 UTC to 2026-11-16 12:00:00 UTC, written 3 s ago

Ledger of north, instance 0000000000000abc, last heard 8 s ago
  packets seen      1 000 000  = not selected 990 000 + selected 10 000
  packets selected     10 000  = in cache 10 + exported 9 900 + spooled 80 + discarded 10
  records exported      5 100  = received 5 000 + missing 100
  records received      5 020  = joined 4 800 + waiting 60 + without partner 50 + ambiguous 40 + other selection 30
                               + repeated 20 + without label 9 + no room 7 + lost at restart 4
  records joined        4 800  = stored 4 800
  round-trip cells         33  = stored 31 + refused 2
  It adds up.
)");
}

TEST(AnswerText, ALedgerOfMarksSaysWhetherItsPointIsThere) {
  AnswerReport report = empty_answer();
  report.with_delays = false;
  PointLedger ledger = full_ledger();
  ledger.accounts[Account::received] += 3;
  ledger.accounts[Account::records_exported] += 3;
  ledger.accounts[Account::marks] = 3;
  ledger.accounts[Account::silences] = 2;
  ledger.accounts[Account::same_name] = 5;
  ledger.marking = MarkingState::silent;
  report.ledgers = {ledger};
  const std::string text = answer_text(report, {});
  EXPECT_TRUE(text.contains("+ marks 3\n")) << text;
  EXPECT_TRUE(
      text.ends_with("  Marking: silent; it has fallen silent 2 times.\n"
                     "  5 reports came while another point of this name reported.\n"
                     "  It adds up.\n"))
      << text;
}

TEST(AnswerText, SaysThatAStoreWasNeverWritten) {
  AnswerReport never = empty_answer();
  never.answer.age = {};
  never.with_loss = true;
  EXPECT_EQ(answer_text(never, {}),
            "From 2026-11-16 11:00:00 UTC to 2026-11-16 12:00:00 UTC, never written\n"
            "\n"
            "The store holds no delays yet.\n");
}

// Names come from the network.
TEST(AnswerText, NamesArePrintable) {
  AnswerReport report = full_answer();
  report.answer.subjects[0].name = hostile_name;
  PointLedger ledger = full_ledger();
  ledger.point = hostile_name;
  ledger.accounts[Account::stored] = 1;
  report.ledgers = {ledger};
  const std::string text = answer_text(report, {});
  const std::string shown = "a,b\"c\\x0a\\x1b[31m";
  EXPECT_TRUE(text.contains("\n" + shown + "   newest data 10 s old\n")) << text;
  EXPECT_TRUE(text.contains("\nLedger of " + shown + ", instance 0000000000000abc")) << text;
  EXPECT_TRUE(text.contains("  It does not add up: " + shown + ": joined is 4800")) << text;
  EXPECT_FALSE(text.contains('\x1b')) << text;
}

}  // namespace
}  // namespace sojourn
