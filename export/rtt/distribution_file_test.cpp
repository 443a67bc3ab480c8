#include "export/rtt/distribution_file.h"

#include <gtest/gtest.h>

#include <random>

#include "estimate/distribution/test_seed.h"
#include "export/rtt/test_example_report.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Expectation example() {
  Measurement measurement;
  for (int i = 1; i <= 500; ++i)
    measurement.add_light(Kind::tcp, Leg::server, {}, i * 137us, 1 + i % 3 * 0.3);
  for (int i = 1; i <= 40; ++i) measurement.add_light(Kind::dns, Leg::server, {}, i * 1ms - 3ms);
  auto expectation = take_expectation(measurement, KindSet::all());
  expectation.first = ExampleReport::start;
  expectation.last = ExampleReport::start + 1min;
  return expectation;
}

std::string fault_in(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto parsed = parse_distribution_file(text);
  return parsed ? "accepted" : parsed.error().message;
}

TEST(DistributionFile, GivesBackWhatWasPutAside) {
  const auto before = example();
  const std::string text = distribution_file(before);
  const auto after = parse_distribution_file(text);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->first, before.first);
  EXPECT_EQ(after->last, before.last);
  ASSERT_EQ(after->parts.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &a = after->parts[i].delays, &b = before.parts[i].delays;
    EXPECT_EQ(after->parts[i].kind, before.parts[i].kind);
    EXPECT_EQ(after->parts[i].leg, before.parts[i].leg);
    EXPECT_EQ(a.samples, b.samples);
    EXPECT_EQ(a.inflation, b.inflation);
    EXPECT_EQ(a.serial_inflation, b.serial_inflation);
    EXPECT_EQ(a.flows.count().flows, b.flows.count().flows);
    EXPECT_EQ(a.mean_log().variance, b.mean_log().variance);
    EXPECT_EQ(a.min, b.min);
    EXPECT_EQ(a.max, b.max);
    EXPECT_EQ(a.mean, b.mean);
    EXPECT_EQ(a.quantile(0.95), b.quantile(0.95));
    ASSERT_EQ(a.buckets.size(), b.buckets.size());
    for (std::size_t k = 0; k < a.buckets.size(); ++k) {
      EXPECT_EQ(a.buckets[k].index, b.buckets[k].index);
      EXPECT_EQ(a.buckets[k].weight, b.buckets[k].weight);  // to the last bit
      EXPECT_EQ(a.buckets[k].squared_weight, b.buckets[k].squared_weight);
    }
  }
  EXPECT_EQ(distribution_file(*after), text);
}

TEST(DistributionFile, GivesBackGroups) {
  MeasurementOptions options;
  options.grouping = *Grouping::parse("port");
  Measurement measurement{options};
  Sample sample;
  for (int i = 0; i < 100; ++i) {
    sample.delay = (i + 1) * 1ms;
    sample.responder_port = static_cast<std::uint16_t>(i < 60 ? 80 : i < 99 ? 443 : 22);
    measurement.add(sample);
  }
  Expectation before = take_expectation(measurement, KindSet::all());
  take_groups(measurement, KindSet::all(), before);
  ASSERT_EQ(before.groups.size(), 2u) << "one sample is not worth its place";
  const std::string text = distribution_file(before);
  const auto after = parse_distribution_file(text);
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_EQ(after->grouping, "port");
  ASSERT_EQ(after->groups.size(), 2u);
  EXPECT_EQ(after->groups[1].label, "port 80");
  EXPECT_EQ(after->groups[1].part.delays.samples, 60u);
  EXPECT_EQ(distribution_file(*after), text);
  EXPECT_EQ(fault_in(text, "\"group\":\"port 80\"", "\"group\":7"), "a group has no name");
  EXPECT_EQ(fault_in(text, "\"group\":\"port 80\"", "\"group\":\"port 443\""),
            "tcp.server of a group is there twice");
  EXPECT_EQ(fault_in(text, "\"grouping\": \"port\"", "\"grouping\": 5"),
            "'grouping' and 'groups' are not a text and an array");
}

TEST(DistributionFile, OfNothingIsReadBackToo) {
  const auto after = parse_distribution_file(distribution_file({}));
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_TRUE(after->parts.empty());
  EXPECT_FALSE(after->first);
}

TEST(DistributionFile, SaysWhatIsWrong) {
  const std::string text = distribution_file(example());
  EXPECT_EQ(fault_in(text, "sojourn-distribution", "something"),
            "this is not a file of --save-distribution");
  EXPECT_EQ(fault_in(text, "\"version\": 2", "\"version\": 3"),
            "it is of version 3, and this sojourn reads version 2");
  EXPECT_EQ(fault_in(text, "\"version\": 2", "\"version\": 1"),
            "it was written by an older sojourn and does not tell flows apart: save it anew with "
            "--save-distribution");
  EXPECT_EQ(fault_in(text, "\"flow_groups\"", "\"flow_heaps\""),
            "tcp.server: 'flow_groups' is not an array");
  EXPECT_EQ(fault_in(text, "\"flows_seen\"", "\"flows_met\""),
            "tcp.server: 'flows_seen' is not an array of 32 numbers");
  EXPECT_EQ(fault_in(text, "\"version\": 2", "\"edition\": 1"), "it does not name its version");
  EXPECT_EQ(fault_in(text, "\"mantissa_bits\": 7", "\"mantissa_bits\": 5"),
            "its buckets are laid out in a way that this sojourn does not know");
  EXPECT_EQ(fault_in(text, "\"tcp\"", "\"udp\""), "it has a kind that this sojourn does not know");
  EXPECT_EQ(fault_in(text, "\"server\"", "\"middle\""),
            "tcp has a leg that this sojourn does not know");
  EXPECT_EQ(fault_in(text, "\"kind\":\"dns\"", "\"kind\":\"tcp\""), "tcp.server is there twice");
  EXPECT_EQ(fault_in(text, "\"samples\":500", "\"samples\":-1"),
            "tcp.server: 'samples' is not a number above 0");
  EXPECT_EQ(fault_in(text, "\"samples\":500", "\"samples\":5"),
            "tcp.server: the squared weights are too small for the number of samples");
  EXPECT_EQ(fault_in(text, "\"buckets\":[[", "\"buckets\":[[1e400,"),
            "this is not a file of --save-distribution");
  EXPECT_EQ(fault_in(text, "\"buckets\":[[", "\"buckets\":[[7,"),
            "tcp.server: a bucket is not [lowest_ns, weight, squared_weight]");
  EXPECT_EQ(fault_in(text, "\"total_weight\":", "\"total_weight\":1"),
            "tcp.server: the buckets do not add up to 'total_weight'");
  EXPECT_EQ(fault_in(text, "\"inflation\":", "\"inflation\":0,\"was\":"),
            "tcp.server: 'inflation' is not a number from 1 on");
  EXPECT_EQ(fault_in(text, "\"delay_ns\"", "\"delay\""),
            "tcp.server: a quantile is not {q, delay_ns}");
  for (const auto odd : {"", "{", "[]", "7", "null", "\"sojourn-distribution\"",
                         "{\"format\":\"sojourn-distribution\"}"})
    EXPECT_FALSE(parse_distribution_file(odd)) << odd;
}

TEST(DistributionFile, SurvivesDamage) {
  // Any byte changed, any part cut: it is read or refused in one line.
  const std::string text = distribution_file(example());
  std::mt19937_64 random{test_seed()};
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = text;
    if (i % 4 == 0)
      damaged.resize(random() % damaged.size());
    else if (i % 4 == 1)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    else
      damaged[random() % damaged.size()] = "0123456789-e[]{},\""[random() % 18];
    const auto parsed = parse_distribution_file(damaged);
    EXPECT_TRUE(parsed || parsed.error().message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace sojourn
