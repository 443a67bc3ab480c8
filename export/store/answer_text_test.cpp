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

AnswerReport with_oneway(Duration delay) {
  AnswerReport full = report();
  full.quantiles = {0.5};
  AnswerRow row;
  row.measure = number_of(Measure::oneway);
  row.delays.add(delay, 2);
  full.answer.subjects.push_back(subject("north:south", 1h));
  full.answer.subjects[0].rows.push_back(std::move(row));
  return full;
}

TEST(AnswerCsv, HasALineForEachQuantileAndNothingWhereNothingIsKnown) {
  const std::string header =
      "subject,kind,leg,prefix,weight,effective_samples,quantile,delay_ns,low_ns,high_ns,"
      "sent,arrived,unseen,loss,loss_low,loss_high\n";
  EXPECT_EQ(answer_csv(report()), header);

  AnswerReport full = with_oneway(5ms);
  EXPECT_EQ(answer_csv(full), header + "north:south,oneway,,,2,1.0,0.5,5000000,,,,,,,,\n")
      << "one sample bounds no quantile";
  full.quantiles = {0.5, 0.95};
  AnswerRow& row = full.answer.subjects[0].rows[0];
  row.measure = static_cast<std::uint8_t>(Kind::tcp);
  row.leg = static_cast<std::uint8_t>(Leg::client);
  row.prefix = *Prefix::parse("192.0.2.0/24");
  row.loss =
      LossEstimate{.sent = 100, .arrived = 90, .unseen = 1, .share = 0.1, .low = 0.05, .high = 0.2};
  EXPECT_EQ(answer_csv(full),
            header +
                "north:south,tcp,client,192.0.2.0/24,2,1.0,0.5,5000000,,,100,90,1,0.1,0.05,0.2\n"
                "north:south,tcp,client,192.0.2.0/24,2,1.0,0.95,5000000,,,100,90,1,0.1,0.05,0.2\n");
}

TEST(AnswerIpfix, TellsOnewayDelaysOnly) {
  const IpfixAnswer none = answer_ipfix(report());
  EXPECT_EQ(none.records, 0u);

  AnswerReport full = with_oneway(5ms);
  AnswerRow round_trip;
  round_trip.measure = static_cast<std::uint8_t>(Kind::tcp);
  round_trip.delays.add(5ms, 1);
  full.answer.subjects[0].rows.push_back(std::move(round_trip));
  const IpfixAnswer made = answer_ipfix(full);
  EXPECT_EQ(made.records, 1u);
  EXPECT_EQ(made.negative + made.too_long, 0u);
  EXPECT_TRUE(made.bytes.starts_with(std::string{"\x00\x0a", 2})) << "version 10";
  EXPECT_TRUE(made.bytes.contains("north:south"));
}

TEST(AnswerIpfix, CountsWhatDoesNotFitItsElements) {
  const IpfixAnswer negative = answer_ipfix(with_oneway(-5ms));
  EXPECT_EQ(negative.records, 0u);
  EXPECT_EQ(negative.negative, 1u);
  const IpfixAnswer too_long = answer_ipfix(with_oneway(2h));
  EXPECT_EQ(too_long.records, 0u);
  EXPECT_EQ(too_long.too_long, 1u);
}

}  // namespace
}  // namespace sojourn
