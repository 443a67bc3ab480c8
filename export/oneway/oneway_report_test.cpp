#include "export/oneway/oneway_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "export/oneway/oneway_csv.h"
#include "export/oneway/oneway_remarks.h"
#include "export/text_table.h"
#include "oneway/test_flows.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

/// Three flows, 1000 delays from 1 to 10 ms, some loss, a table of a method.
struct Example {
  OnewayMeasurement measured;
  OnewayReport report;

  Example() {
    for (int i = 1; i <= 1000; ++i) measured.delays.add(i * 10us);
    for (std::uint32_t i = 0; i < 3; ++i) {
      FlowDelay flow;
      flow.key = test_flow_key(i);
      flow.packets = 100 * (i + 1);
      flow.mean_ns = 1e6 * (i + 1);
      flow.lost = i;
      if (i > 0) flow.min_ns = 1'000;
      measured.result.flows.push_back(flow);
    }
    measured.result.sent = 1'010;
    measured.result.lost = 10;
    measured.result.counters = {{"matched", 1'000}, {"ambiguous", 4}};
    measured.result.memory_bytes = 4'096;
    measured.result.notes = {Note{"The cache was small.", Advice::flow_cache}};
    measured.result.tables = {
        {"intervals", "Intervals", {"start", "lost"}, {{"now", 3}, {"then", Cell{}}}}};
    measured.inputs[0] = {1'010, test_time(0s), test_time(1s)};
    measured.inputs[1] = {1'000, test_time(5ms), test_time(1s + 5ms)};
    report.measured = &measured;
    report.method = oneway_method_named("exact");
    report.options.seed = 7;
    report.points[0] = {"a.pcap", 1'020, {{"arp", 10}}};
    report.points[1] = {"b.pcap", 1'000, {}};
    report.top = 2;
    report.warnings = {"b.pcap ends in the middle of a packet"};
  }
};

TEST(OnewayCsv, WritesEachDelayBesideItsFlow) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("sojourn-delays-" + std::to_string(::getpid()) + ".csv"))
                               .string();
  const std::vector<DelaySample> delays = {{.sent = test_time(1s), .delay = 5ms, .flow = 1},
                                           {.sent = test_time(2s), .delay = -3us, .flow = 0}};
  auto file = OutputFile::open(path);
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_TRUE(write_delays(std::move(*file), delays,
                           [](std::uint32_t flow) { return test_flow_key(flow); }));
  std::ifstream written{path};
  const std::string text{std::istreambuf_iterator<char>{written}, {}};
  std::filesystem::remove(path);
  std::string expected{delays_csv_header};
  for (const DelaySample& delay : delays) {
    const FlowKey key = test_flow_key(delay.flow);
    append_delay(expected, &key, delay);
  }
  EXPECT_EQ(text, expected);
  EXPECT_TRUE(text.ends_with(",-3000\n")) << text;
}

TEST(FlowName, HasPortsWhereThereAreAny) {
  const IpAddress four = *IpAddress::parse("192.0.2.1"), six = *IpAddress::parse("2001:db8::1");
  EXPECT_EQ(flow_name({four, four, 5'000, 53, 17}), "udp 192.0.2.1:5000 > 192.0.2.1:53");
  EXPECT_EQ(flow_name({six, six, 0, 443, 6}), "tcp 2001:db8::1 > [2001:db8::1]:443");
}

TEST(OnewayReport, ShowsTheSlowestFlowsFirst) {
  const Example example;
  const auto slowest = example.report.slowest_flows();
  ASSERT_EQ(slowest.size(), 2u);
  EXPECT_EQ(slowest[0]->key, test_flow_key(2));
  EXPECT_EQ(slowest[1]->key, test_flow_key(1));
}

TEST(OnewayText, FitsThePageAndSaysWhatWasFound) {
  const Example example;
  const std::string text = oneway_text(example.report, {.color = false, .unicode = false});
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), 80u) << line;
  for (const char* const part :
       {"a.pcap -> b.pcap", "a.pcap: 1 020 packets, 1.000 s from", "lost 10 of 1 010 packets",
        "counted apart: 4 ambiguous", "skipped in a.pcap: 10 arp", "the slowest 2 of 3 flows",
        "tcp 10.0.0.2:1024 > 10.0.0.1:443", "The cache was small. See --cache.",
        "warning: b.pcap ends", "Memory: 4 KiB."})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find("±"), std::string::npos);
  EXPECT_NE(oneway_text(example.report, {.color = true}).find("\033[1m"), std::string::npos);
}

TEST(OnewayText, HasATitleAboveEachTable) {
  const std::string text = oneway_text(Example{}.report, {.color = false, .unicode = false});
  const auto title = text.find("Intervals\n"), row = text.find("then");
  ASSERT_NE(title, std::string::npos) << text;
  ASSERT_NE(row, std::string::npos) << text;
  EXPECT_LT(title, row);
}

TEST(OnewayText, HasARowForEachDirection) {
  Example example;
  for (int i = 1; i <= 10; ++i) example.measured.backward.add(i * 1s);
  example.measured.result.directions = {{Direction::forward, 2, {}, {}, {}},
                                        {Direction::backward, 1, {}, 50, 5}};
  const std::string text = oneway_text(example.report, {.color = false, .unicode = false});
  std::istringstream lines{text};
  std::size_t slow = 0, quick = 0;
  for (std::string line; std::getline(lines, line);) {
    slow += line.starts_with("LAST to FIRST") && line.contains("10.00s");
    quick += line.starts_with("FIRST to LAST") && line.contains("10.00ms");
  }
  EXPECT_EQ(slow, 1u) << text;
  EXPECT_EQ(quick, 1u) << text;
  EXPECT_TRUE(text.contains("LAST to FIRST: lost 5 of 50 packets")) << text;
}

TEST(OnewayJson, NumbersAreNumbersAndNullIsNull) {
  const Example example;
  const auto json = nlohmann::json::parse(oneway_json(example.report));
  EXPECT_EQ(json["input"]["first"]["packets"], 1'020);
  EXPECT_EQ(json["input"]["first"]["skipped"]["arp"], 10);
  EXPECT_EQ(json["loss"]["lost"], 10);
  EXPECT_EQ(json["flow_count"], 3);
  ASSERT_EQ(json["slowest_flows"].size(), 2u);
  EXPECT_EQ(json["slowest_flows"][0]["delay_mean_ns"], 3e6);
  EXPECT_TRUE(json["slowest_flows"][0]["delay_stddev_ns"].is_null());
  EXPECT_TRUE(json["clock"]["error_ns"].is_null());
  EXPECT_TRUE(json["delay"].is_null());
  const auto& rows = json["tables"]["intervals"];
  EXPECT_TRUE(rows[0]["lost"].is_number());
  EXPECT_EQ(rows[0]["lost"], 3);
  EXPECT_TRUE(rows[1]["lost"].is_null());
  EXPECT_EQ(json["notes"][0], "The cache was small. See --cache.");
  EXPECT_FALSE(json.contains("groups"));
}

TEST(OnewayJson, NamesOfFilesNeedNotBeUtf8) {
  Example example;
  example.report.points[0].name = "caf\xe9.pcap";
  const auto json = nlohmann::json::parse(oneway_json(example.report));
  EXPECT_EQ(json["input"]["first"]["file"], "caf\xef\xbf\xbd.pcap");
}

TEST(OnewayPlot, IsAPictureOfTheDistribution) {
  const std::string svg = oneway_plot(Example{}.report);
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_NE(svg.find("a.pcap to b.pcap"), std::string::npos);
  EXPECT_NE(svg.find("stroke-linejoin=\"round\""), std::string::npos) << "the curve";
}

TEST(OnewayCsv, LeavesOutWhatIsNotKnown) {
  std::string lines;
  append_flow(lines, Example{}.measured.result.flows[0]);
  EXPECT_EQ(lines, "tcp,10.0.0.0,1024,10.0.0.1,443,100,1000000,,,,0,\n");
  lines.clear();
  const FlowKey flow = test_flow_key(1);
  append_delay(lines, &flow, {.sent = timestamp_from_ns(5), .delay = -7ns});
  append_delay(lines, nullptr, {.sent = timestamp_from_ns(6), .delay = 8ns});
  EXPECT_EQ(lines, "5,tcp,10.0.0.1,1024,10.0.0.1,443,-7\n6,,,,,,8\n");
}

TEST(OnewayRemarks, ADoubtSaysWhatToDo) {
  Example example;
  example.report.clock_offset = 1s;
  const auto said = [&](const OnewayDoubt& doubt) { return sentence_of(doubt, example.report); };
  EXPECT_EQ(said({.what = OnewayDoubt::What::clocks_apart, .usual = -20s}),
            "the same packets are about 20.00 s apart, beyond --window 10.00 s: LAST's clock seems "
            "to be behind FIRST's; try --clock-offset=-19.000s");
  EXPECT_EQ(said({.what = OnewayDoubt::What::few_in_both, .count = 1'000, .of = 5'000}),
            "only 1 000 of 5 000 packets were found at both points: do the captures hold the same "
            "traffic, at the same time?");
  EXPECT_NE(said({.what = OnewayDoubt::What::swapped, .usual = -5ms}).find("by that much or more"),
            std::string::npos);
  EXPECT_NE(said({.what = OnewayDoubt::What::swapped, .usual = -5ms, .behind = 9ms})
                .find("by 9.000 ms or more"),
            std::string::npos);
}

TEST(OnewayRemarks, ADiagnosisIsOneLineThatNamesTheFiles) {
  const Example example;
  const auto said = [&](const CaptureDiagnosis& diagnosis) {
    const std::string line = sentence_of(diagnosis, example.report, false);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    return line;
  };
  EXPECT_EQ(said({.what = CaptureDiagnosis::What::no_packets, .point = Point::last}),
            "b.pcap holds no IP packets");
  EXPECT_EQ(sentence_of({.what = CaptureDiagnosis::What::no_packets}, example.report, true),
            "a.pcap holds no IP packets that match --filter");
  EXPECT_NE(said({.what = CaptureDiagnosis::What::beyond_the_window, .common = 7, .apart = 20s})
                .find("7 packets are in both captures, but about 20.00 s apart"),
            std::string::npos);
  EXPECT_NE(said({.what = CaptureDiagnosis::What::different_traffic, .cut = true})
                .find("--payload-bytes"),
            std::string::npos);
  EXPECT_EQ(sentence_of(RecordDiagnosis{.what = RecordDiagnosis::What::no_records}, example.report),
            "a.pcap holds no flow records");
}

TEST(OnewayRemarks, ClocksAreAheadOrBehindAndEqualOnesAheadByNothing) {
  Example example;
  const auto said = [&](Duration low, Duration high) {
    example.measured.clocks.offset = ClockOffset{low, high};
    const std::string text = clock_sentence(example.report);
    const auto from = text.find("LAST's clock is from "), to = text.find(". ", from);
    return from == std::string::npos ? text : text.substr(from, to - from);
  };
  EXPECT_EQ(said(-3ms, -1ms), "LAST's clock is from 3.000 ms behind to 1.000 ms behind FIRST's");
  EXPECT_EQ(said(-3ms, 2ms), "LAST's clock is from 3.000 ms behind to 2.000 ms ahead of FIRST's");
  EXPECT_EQ(said(0ms, 2ms), "LAST's clock is from 0 ns ahead to 2.000 ms ahead of FIRST's");
  EXPECT_EQ(said(-3ms, 0ms), "LAST's clock is from 3.000 ms behind to 0 ns ahead of FIRST's");
}

TEST(OnewayRemarks, FlowsThatGoTheOtherWayAreNoted) {
  Example example;
  example.measured.result.flows[0].direction = Direction::backward;
  add_remarks(example.report);
  ASSERT_EQ(example.report.notes.size(), 1u);
  EXPECT_TRUE(example.report.notes[0].starts_with("1 of 3 flows go from LAST to FIRST"))
      << example.report.notes[0];
}

}  // namespace
}  // namespace sojourn
