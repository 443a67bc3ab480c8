#include "export/rtt/json_report.h"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "export/rtt/test_example_report.h"

namespace sojourn {
namespace {

using Json = nlohmann::json;

TEST(JsonReport, HasTheAgreedKeys) {
  const ExampleReport example;
  const std::string text = json_report(example.report);
  EXPECT_TRUE(text.ends_with("}\n"));
  const Json json = Json::parse(text);

  EXPECT_EQ(json["input"]["files"], Json({"example.pcap"}));
  EXPECT_EQ(json["input"]["packets"], 2500);
  EXPECT_EQ(json["input"]["bytes"], 1'250'000);
  EXPECT_EQ(json["input"]["first_ns"], 1'794'052'800'000'000'000);
  EXPECT_EQ(json["input"]["last_ns"], 1'794'052'802'000'000'000);
  EXPECT_EQ(json["input"]["skipped"], Json({{"arp", 7}, {"truncated", 2}}));
  EXPECT_EQ(json["table"]["name"], "exact");
  EXPECT_EQ(json["table"]["memory_bytes"], 4096);

  const Json& tcp = json["kinds"]["tcp"];
  EXPECT_EQ(tcp["samples"], 1000);
  EXPECT_EQ(tcp["estimated_total"], 1000);
  EXPECT_EQ(tcp["effective_samples"], 1000);
  EXPECT_EQ(tcp["ambiguous"], 40);
  EXPECT_EQ(tcp["unmatched_requests"], 60);
  EXPECT_EQ(tcp["min_ns"], 4'000);
  EXPECT_EQ(tcp["max_ns"], 19'980'000);
  EXPECT_TRUE(tcp["mean_ns"].is_number_integer());
  EXPECT_EQ(tcp["quantiles"].size(), 8u);
  for (const Json& quantile : tcp["quantiles"]) {
    EXPECT_TRUE(quantile["delay_ns"].is_number_integer());
    EXPECT_LE(quantile["low_ns"], quantile["delay_ns"]);
    if (quantile["bounded"]) {
      EXPECT_GE(quantile["high_ns"], quantile["delay_ns"]);
      EXPECT_EQ(quantile["unbounded_because"], nullptr);
    } else {  // 1000 samples do not bound p99.9 from above
      EXPECT_EQ(quantile["q"], 0.999);
      EXPECT_EQ(quantile["high_ns"], nullptr);
      EXPECT_EQ(quantile["unbounded_because"], "too-few-samples");
    }
  }
  EXPECT_NEAR(tcp["flows"].get<double>(), 1000, 60);
  EXPECT_EQ(tcp["flows_or_more"], false);
  EXPECT_EQ(tcp["legs"]["server"]["samples"], 750);
  EXPECT_EQ(tcp["legs"]["client"]["samples"], 250);
  EXPECT_EQ(json["kinds"]["handshake"]["samples"], 100);
  EXPECT_EQ(json["kinds"]["handshake"]["min_ns"], 210'000);

  EXPECT_EQ(json["kinds"]["quic"]["samples"], 0);
  EXPECT_EQ(json["kinds"]["quic"]["mean_ns"], nullptr);
  EXPECT_EQ(json["kinds"]["quic"]["quantiles"], Json::array());

  EXPECT_EQ(json["groups"][0]["group"], "port 443");
  EXPECT_EQ(json["groups"][0]["leg"], "server");
  EXPECT_EQ(json["groups"][0]["samples"], 750);
  EXPECT_EQ(json["windows"][0]["start_ns"], 1'794'052'800'000'000'000);
  EXPECT_EQ(json["windows"][0]["kind"], "tcp");
  EXPECT_EQ(json["windows"][0]["leg"], "server");
  EXPECT_EQ(json["windows"][0]["samples"], 375);

  ASSERT_EQ(json["sla"].size(), 5u) << "tcp has two legs";
  EXPECT_EQ(json["sla"][0]["rule"], "tcp p95 < 50ms");
  EXPECT_EQ(json["sla"][0]["ok"], true);
  EXPECT_EQ(json["sla"][0]["verdict"], "met");
  EXPECT_EQ(json["sla"][0]["leg"], "server");
  EXPECT_EQ(json["sla"][1]["leg"], "client");
  EXPECT_EQ(json["sla"][2]["leg"], nullptr);
  EXPECT_EQ(json["sla"][2]["ok"], false);
  EXPECT_EQ(json["sla"][2]["verdict"], "violated");
  EXPECT_EQ(json["sla"][3]["verdict"], "undecided");
  EXPECT_EQ(json["sla"][4]["value_ns"], nullptr);
  EXPECT_EQ(json["sla"][4]["ok"], nullptr);
}

TEST(JsonReport, IsOneLineOfAnInterval) {
  ExampleReport example;
  example.report.interval = {3, ExampleReport::start,
                             ExampleReport::start + std::chrono::seconds{2}};
  const std::string line = json_line(example.report);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(Json::parse(line), Json::parse(json_report(example.report)));
  const Json interval = Json::parse(line)["interval"];
  EXPECT_EQ(interval["number"], 3);
  EXPECT_EQ(interval["start_ns"], 1'794'052'800'000'000'000);
  EXPECT_EQ(interval["end_ns"], 1'794'052'802'000'000'000);
}

TEST(JsonReport, WhyAnEngineWasTakenIsNullIfTheUserChoseIt) {
  ExampleReport example;
  example.report.engine.emplace().name = "socket";
  EXPECT_TRUE(Json::parse(json_report(example.report))["engine"]["why"].is_null());
  example.report.engine->why = "no CAP_BPF";
  EXPECT_EQ(Json::parse(json_report(example.report))["engine"]["why"], "no CAP_BPF");
}

TEST(JsonReport, IsADocumentWhateverHappened) {
  const Measurement nothing;
  RttReport report;
  report.measurement = &nothing;
  report.input.files = {"not utf-8: \xff\xfe, \"quoted\"\n"};
  report.kinds = KindSet::none();
  report.kinds.add(Kind::dns);
  const Json json = Json::parse(json_report(report));
  EXPECT_EQ(json["kinds"].size(), 1u);
  EXPECT_EQ(json["input"]["first_ns"], nullptr);
  EXPECT_EQ(json["groups"], Json::array());
}

TEST(JsonReport, HoldsTheComparisonWithWhatWasExpected) {
  ExampleReport example;
  const Json without = Json::parse(json_report(example.report));
  EXPECT_EQ(without["expect"], Json::array());
  EXPECT_FALSE(without.contains("expectation"));

  const auto usual = take_expectation(example.measurement, KindSet::all());
  example.report.expect = {"usual.json", ExampleReport::start, std::nullopt,
                           compare(usual, usual, {})};
  const Json json = Json::parse(json_report(example.report));
  EXPECT_EQ(json["expectation"]["file"], "usual.json");
  EXPECT_EQ(json["expectation"]["shifted"], false);
  EXPECT_EQ(json["expectation"]["false_alarm"], 0.001);
  EXPECT_EQ(json["expectation"]["last_ns"], nullptr);
  ASSERT_EQ(json["expect"].size(), 4u);  // tcp on two legs, the whole handshake, icmp
  EXPECT_EQ(json["expect"][2]["kind"], "handshake");
  EXPECT_EQ(json["expect"][2]["leg"], "sum");
  const Json& icmp = json["expect"][3];
  EXPECT_EQ(icmp["verdict"], "too-few");
  EXPECT_EQ(icmp["shifted"], nullptr);
  EXPECT_EQ(icmp["slower"], nullptr);
  EXPECT_EQ(icmp["samples"], 3);
  EXPECT_EQ(icmp["expected_samples"], 3);
  EXPECT_EQ(icmp["quantiles"][2]["expected_ns"], icmp["quantiles"][2]["delay_ns"]);
}

TEST(JsonReport, CountsWhatIsInNoGroupAndInNoWindow) {
  using namespace std::chrono_literals;
  MeasurementOptions options;
  options.window = 1s;
  options.max_slices = 1;
  Measurement measurement{options};
  LossTally loss{
      {.grouping = *Grouping::parse("port"), .max_groups = 1, .window = 1s, .max_slices = 1}};
  Sample sample;
  sample.kind = Kind::dns;
  for (const auto port : std::array<std::uint16_t, 3>{53, 443, 853}) {
    sample.time += 5s;
    sample.responder_port = port;
    measurement.add(sample);
    loss.add(1u << index_of(LossSign::segment), 1, 1, sample);
    loss.ask(sample);
  }
  loss.ask(sample);
  RttReport report;
  report.measurement = &measurement;
  report.loss = &loss;
  const Json json = Json::parse(json_report(report));
  EXPECT_EQ(json["samples_beyond_windows"], 2);
  EXPECT_EQ(json["loss"]["packets_beyond_groups"], 2);
  EXPECT_EQ(json["loss"]["packets_beyond_windows"], 2);
  EXPECT_EQ(json["loss"]["unanswered"]["requests_beyond_groups"], 3);
  EXPECT_EQ(json["loss"]["unanswered"]["requests_beyond_windows"], 3);

  const Measurement whole;
  report.measurement = &whole;
  EXPECT_FALSE(Json::parse(json_report(report)).contains("samples_beyond_windows"));
}

TEST(JsonReport, ListsGroupsThatBreakTheirRule) {
  ExampleReport example;
  example.report.sla_groups.push_back(
      evaluate_groups(*SlaRule::parse("each tcp p50 < 1ms"), example.measurement, 10));
  const Json json = Json::parse(json_report(example.report));
  EXPECT_EQ(json["sla"][0]["group"], nullptr);
  ASSERT_EQ(json["sla"].size(), 7u);
  EXPECT_EQ(json["sla"][5]["rule"], "each tcp p50 < 1ms");
  EXPECT_EQ(json["sla"][5]["group"], "port 443");
  EXPECT_EQ(json["sla"][5]["leg"], "server");
  EXPECT_EQ(json["sla"][5]["verdict"], "violated");
  EXPECT_EQ(json["sla"][6]["leg"], "client");
  EXPECT_EQ(json["sla"][6]["verdict"], "met");
  EXPECT_EQ(json["sla_groups"],
            Json::parse(R"([{"rule": "each tcp p50 < 1ms", "groups": 2, "met": 1,
                                                 "violated": 1, "undecided": 0}])"));
}

}  // namespace
}  // namespace sojourn
