#include <gtest/gtest.h>

#include "export/json_values.h"
#include "export/store/answer_report.h"
#include "export/store/test_answers.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(AnswerJson, HasLossesOnlyIfTheyWereAskedFor) {
  AnswerReport full = empty_answer();
  AnswerRow row;
  row.delays.add(5ms, 1);
  full.answer.subjects.push_back(subject_of("north", 1h));
  full.answer.subjects[0].rows.push_back(std::move(row));
  EXPECT_FALSE(answer_json(full).contains("\"loss\""));
  full.with_loss = true;
  EXPECT_TRUE(answer_json(full).contains("\"loss\": null"));
}

TEST(AnswerJson, HasSubjectsRowsClocksAndLosses) {
  const Json json = Json::parse(answer_json(full_answer()));
  EXPECT_EQ(json["from_ns"], to_ns(noon - 1h));
  EXPECT_EQ(json["to_ns"], to_ns(noon));
  EXPECT_EQ(json["written_ns"], to_ns(noon - 3s));
  EXPECT_EQ(json["losses_until_ns"], to_ns(noon - 70s));
  ASSERT_EQ(json["subjects"].size(), 2u);
  const Json& segment = json["subjects"][0];
  EXPECT_EQ(segment["name"], "north:south");
  EXPECT_EQ(segment["newest_ns"], to_ns(noon - 10s));
  EXPECT_EQ(segment["clock"].dump(),
            R"({"error_ns":100000,"offset_low_ns":-50000,"offset_high_ns":60000})");
  const Json& all = segment["rows"][0];
  EXPECT_EQ(all["kind"], "oneway");
  EXPECT_TRUE(all["leg"].is_null());
  EXPECT_TRUE(all["prefix"].is_null());
  EXPECT_EQ(all["weight"].dump(), "100");
  EXPECT_EQ(all["quantiles"].size(), 3u);
  EXPECT_EQ(all["loss"].dump(),
            R"({"sent":1000,"arrived":900,"unseen":1,"share":0.1,"low":0.05,"high":0.2})");
  EXPECT_EQ(all["mean_over_time_ns"].dump(), "[10000000,null,15000000,20000000]");
  EXPECT_EQ(segment["rows"][1]["prefix"], "192.0.2.0/24");
  EXPECT_TRUE(segment["rows"][1]["loss"].is_null());
  const Json& point = json["subjects"][1];
  EXPECT_EQ(point["clock"].dump(),
            R"({"error_ns":null,"offset_low_ns":null,"offset_high_ns":null})");
  EXPECT_EQ(point["rows"][0]["kind"], "tcp");
  EXPECT_EQ(point["rows"][0]["leg"], "server");
  EXPECT_FALSE(json.contains("ledgers"));
}

// Unknown is null, never 0: one sample bounds no quantile.
TEST(AnswerJson, EndsThatAreNotKnownAreNull) {
  const Json json = Json::parse(answer_json(full_answer()));
  const Json& quantiles = json["subjects"][1]["rows"][0]["quantiles"];
  EXPECT_EQ(quantiles[0].dump(), R"({"q":0.5,"delay_ns":5000000,"low_ns":null,"high_ns":null})");
}

TEST(AnswerJson, AStoreThatWasNeverWrittenHasNoTimes) {
  AnswerReport never = empty_answer();
  never.answer.age = {};
  const Json json = Json::parse(answer_json(never));
  EXPECT_TRUE(json["written_ns"].is_null());
  EXPECT_TRUE(json["losses_until_ns"].is_null());
  EXPECT_TRUE(json["subjects"].is_array());
}

TEST(AnswerJson, HasLedgersWithEveryAccount) {
  AnswerReport report = empty_answer();
  report.with_delays = false;
  report.ledgers = {full_ledger(), full_ledger()};
  report.ledgers[1].marking = MarkingState::running;
  report.ledgers[1].accounts[Account::stored] = 1;
  const Json json = Json::parse(answer_json(report));
  EXPECT_FALSE(json.contains("subjects"));
  ASSERT_EQ(json["ledgers"].size(), 2u);
  const Json& ledger = json["ledgers"][0];
  EXPECT_EQ(ledger["point"], "north");
  EXPECT_EQ(ledger["instance"], "0000000000000abc");
  EXPECT_EQ(ledger["first_heard_ns"], to_ns(noon - 2h));
  EXPECT_EQ(ledger["last_heard_ns"], to_ns(noon - 8s));
  EXPECT_TRUE(ledger["marking"].is_null());
  for (const std::string_view account : account_names)
    EXPECT_TRUE(ledger[std::string{account}].is_number()) << account;
  EXPECT_EQ(ledger["packets_seen"], 1'000'000);
  EXPECT_EQ(ledger["not_received"], 100);
  EXPECT_EQ(ledger["adds_up"], true);
  EXPECT_EQ(json["ledgers"][1]["marking"], "running");
  EXPECT_EQ(json["ledgers"][1]["adds_up"], false);
}

TEST(AnswerJson, NamesAreEscaped) {
  AnswerReport report = full_answer();
  report.answer.subjects[0].name = hostile_name;
  const std::string text = answer_json(report);
  EXPECT_FALSE(text.contains('\x1b')) << text;
  EXPECT_EQ(Json::parse(text)["subjects"][0]["name"], hostile_name);
}

}  // namespace
}  // namespace sojourn
