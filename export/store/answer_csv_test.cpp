#include <gtest/gtest.h>

#include "export/store/answer_report.h"
#include "export/store/test_answers.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(AnswerCsv, HasALineForEachQuantileAndNothingWhereNothingIsKnown) {
  const std::string header =
      "subject,kind,leg,prefix,weight,effective_samples,quantile,delay_ns,low_ns,high_ns,"
      "sent,arrived,unseen,loss,loss_low,loss_high\n";
  EXPECT_EQ(answer_csv(empty_answer()), header);

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

// Names come from the network; a reader of CSV gets as many fields as the header has.
TEST(AnswerCsv, NamesArePrintableAndQuoted) {
  AnswerReport report = with_oneway(5ms);
  report.answer.subjects[0].name = hostile_name;
  const std::string text = answer_csv(report);
  EXPECT_TRUE(text.ends_with("\n\"a,b\"\"c\\x0a\\x1b[31m\",oneway,,,2,1.0,0.5,5000000,,,,,,,,\n"))
      << text;
}

}  // namespace
}  // namespace sojourn
