#include <gtest/gtest.h>

#include "export/store/answer_report.h"
#include "export/store/test_answers.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(AnswerIpfix, TellsOnewayDelaysOnly) {
  const IpfixAnswer none = answer_ipfix(empty_answer());
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
