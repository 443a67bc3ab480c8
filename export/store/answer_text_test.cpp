#include <gtest/gtest.h>

#include "export/store/answer_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon = timestamp_from_ns(1'794'830'400'000'000'000);  // 2026-11-16 12:00 UTC

AnswerReport report() {
  AnswerReport report;
  report.now = noon;
  report.answer.from = noon - 1h;
  report.answer.to = noon;
  report.answer.written = noon - 3s;
  return report;
}

AnswerSubject subject(std::string name, Duration age) {
  AnswerSubject subject;
  subject.name = std::move(name);
  subject.newest = noon - age;
  return subject;
}

TEST(AnswerText, SaysWhenTheNewestDataAreOlderThanTheTimeAskedFor) {
  AnswerReport old = report();
  old.answer.subjects.push_back(subject("north:south", 25h));
  old.answer.subjects.push_back(subject("south:north", 26h));
  EXPECT_EQ(answer_text(old, {}),
            "From 2026-11-16 11:00:00 UTC to 2026-11-16 12:00:00 UTC, written 3 s ago\n"
            "\n"
            "Nothing in this time. The newest data are 25 h old: try --since 26h.\n");
}

TEST(AnswerText, SaysThatAStoreIsEmpty) {
  EXPECT_NE(answer_text(report(), {}).find("The store holds no delays yet."), std::string::npos);
}

TEST(AnswerText, ExplainsItsIntervalsUnderATable) {
  AnswerReport full = report();
  AnswerRow row;
  row.course = {5ms};
  row.delays.add(5ms, 1);
  full.answer.subjects.push_back(subject("north", 100h));
  full.answer.subjects[0].rows.push_back(std::move(row));
  full.quantiles = {0.5, 0.95, 0.999};
  const std::string text = answer_text(full, {});
  for (const char* const quantile : {" p50 ", " p95 ", " p99.9"})
    EXPECT_NE(text.find(quantile), std::string::npos) << text;
  EXPECT_NE(text.find("north   newest data 4 days old"), std::string::npos) << text;
  EXPECT_NE(text.find("? stands where there are too few flows"), std::string::npos) << text;
}

TEST(AnswerJson, HasLossesOnlyIfTheyWereAskedFor) {
  AnswerReport full = report();
  AnswerRow row;
  row.delays.add(5ms, 1);
  full.answer.subjects.push_back(subject("north", 1h));
  full.answer.subjects[0].rows.push_back(std::move(row));
  EXPECT_FALSE(answer_json(full).contains("\"loss\""));
  full.with_loss = true;
  EXPECT_TRUE(answer_json(full).contains("\"loss\": null"));
}

TEST(AnswerRow, IsCalledByWhatItMeasures) {
  AnswerRow row;
  row.subject = "north:south";
  row.measure = number_of(Measure::oneway);
  EXPECT_EQ(title_of(row), "north:south");
  row.subject = "north";
  row.measure = 0;
  row.leg = 0;
  EXPECT_EQ(title_of(row), "north " + std::string{kind_names[0]} + " " + std::string{leg_names[0]});
}

}  // namespace
}  // namespace sojourn
