// The framework of the experiments, tested with one that measures nothing.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "capture/capture_writer.h"
#include "export/lab/lab_csv.h"
#include "export/lab/lab_json.h"
#include "export/lab/lab_page.h"
#include "export/lab/lab_text.h"
#include "lab/query_load.h"

namespace sojourn {
namespace {

LabReport run_fake(const LabSetting& setting) {
  setting.progress(0.5);
  LabReport report;
  report.claims = {
      {"doubling the memory halves the error of a table whose name is long enough to be broken",
       "2", "2.1", true},
      {"<b> & more", "12 %", "19 %", false}};
  report.tables = {
      {"errors",
       "Error by memory (octaves)",
       {"table", "memory", "error"},
       {{"fridge, one", 64, Cell::decimals(0.5, 1)}, {"a \"b\"", 1024, Cell::decimals(-0.25, 2)}}}};
  report.figures = {{"errors",
                     {.title = "Error",
                      .x = {.label = "memory"},
                      .y = {.label = "error"},
                      .series = {{.name = "one", .points = {{1, 2}, {2, 1}}}}}}};
  setting.progress(1);
  return report;
}

const Experiment fake = {"l0", "PAPER Fig. 1", "a fake", run_fake};

TEST(LabReport, TextNamesFilesAndTimeAndCountsClaims) {
  const std::vector<LabResult> results(2, {&fake, run_fake({}), 1.25});
  const std::vector<std::string> files = {"a.csv", "b\x1b.svg"};
  EXPECT_EQ(
      lab_text(results[0], files),
      lab_text(fake, results[0].report) + "\n  wrote a.csv\n  wrote b\\x1b.svg\n  took 1.2 s\n\n");
  EXPECT_EQ(files_written(files), "wrote a.csv\nwrote b\\x1b.svg\n");
  EXPECT_EQ(lab_verdict(results), "2 of 4 claims missed\n");
}

TEST(LabReport, TextSaysWhatWasMetAndWhatWasMissed) {
  const LabReport report = run_fake({});
  EXPECT_EQ(missed_claims(report), 1u);
  EXPECT_EQ(lab_text(fake, report),
            "l0  a fake (PAPER Fig. 1)\n"
            "\n"
            "  claim                                            paper  ours  verdict\n"
            "  doubling the memory halves the error of a table  2      2.1   met\n"
            "  whose name is long enough to be broken\n"
            "  <b> & more                                       12 %   19 %  MISSED\n"
            "\n"
            "  Error by memory (octaves)\n"
            "  table        memory  error\n"
            "  fridge, one      64    0.5\n"
            "  a \"b\"          1024  -0.25\n");
}

TEST(LabReport, CsvQuotesWhatNeedsIt) {
  EXPECT_EQ(lab_csv(run_fake({}).tables[0]),
            "table,memory,error\n\"fridge, one\",64,0.5\n\"a \"\"b\"\"\",1024,-0.25\n");
}

TEST(LabReport, CsvHasValuesWhereTextHasWords) {
  const ResultTable table{
      .name = "t",
      .title = "",
      .columns = {"memory", "error", "unknown", "start_ns"},
      .rows = {
          {Cell::number(std::uint64_t{65'536}, "64 KiB"), Cell::beside_paper(0.123, 0.1, 2), Cell{},
           timestamp_from_ns(1'794'052'800'000'000'000)},
          {Cell::number(0.5, "512 B"), Cell::decimals(1.0 / 3, 2), Cell::nothing("none"), -3}}};
  EXPECT_EQ(lab_csv(table),
            "memory,error,error (paper),unknown,start_ns\n"
            "65536,0.123,0.1,,1794052800000000000\n"
            "0.5,0.3333333333333333,,,-3\n");
}

TEST(LabReport, PageHoldsEverythingAndLoadsNothing) {
  const std::vector<LabResult> results = {{&fake, run_fake({}), 1.5}};
  const std::string page = lab_page(results, {.seed = 7, .quick = true});
  EXPECT_NE(page.find("Seed 7, scaled-down"), std::string::npos);
  EXPECT_NE(page.find("&lt;b&gt; &amp; more"), std::string::npos);
  EXPECT_NE(page.find("class=\"missed\">MISSED"), std::string::npos);
  EXPECT_NE(page.find("<tr><th>table</th><th>memory</th><th>error</th></tr>"), std::string::npos);
  EXPECT_NE(page.find("<svg "), std::string::npos);
  EXPECT_NE(page.find("class=\"missed\">1 of 2"), std::string::npos);
  EXPECT_EQ(page.find("src="), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
}

TEST(LabReport, JsonCountsTheMissedClaims) {
  const std::vector<LabResult> results = {{&fake, run_fake({}), 1.5}, {&fake, run_fake({}), 0}};
  const std::string json = lab_json(results, {.seed = 7});
  EXPECT_NE(json.find("\"missed\": 2"), std::string::npos);
  EXPECT_NE(json.find("\"statement\": \"<b> & more\""), std::string::npos);
  EXPECT_EQ(json.find("\"paper\": null"), std::string::npos);

  LabReport own;
  own.claims = {{"a claim of our own", std::nullopt, "1 %", true}};
  const std::vector<LabResult> without_paper = {{&fake, own, 0}};
  EXPECT_NE(lab_json(without_paper, {}).find("\"paper\": null"), std::string::npos);
  EXPECT_NE(lab_text(fake, own).find("own  -      1 %"), std::string::npos) << lab_text(fake, own);
}

TEST(LabReport, JsonHasNumbersAsNumbersAndNullForWhatIsNotKnown) {
  LabReport report;
  report.tables = {
      {"t",
       "",
       {"words", "count", "share", "unknown", "both"},
       {{"12", 12, Cell::decimals(1.0 / 3, 2), Cell{}, Cell::beside_paper(0.5, 0.25, 2)}}}};
  const std::vector<LabResult> results = {{&fake, report, 0}};
  const std::string json = lab_json(results, {});
  std::string without_spaces = json;
  std::erase_if(without_spaces, [](char c) { return c == ' ' || c == '\n'; });
  EXPECT_NE(without_spaces.find(
                R"("rows":[["12",12,0.3333333333333333,null,{"ours":0.5,"paper":0.25}]])"),
            std::string::npos)
      << json;
}

// 1 000 queries in 0.1 s; `sojourn lab compare` shows the exact quantiles beside the tables'.
TEST(LabReport, JsonOfACaptureHasItsExactQuantiles) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("sojourn-lab-report-" + std::to_string(getpid()) + ".pcap"))
                               .string();
  {
    std::ofstream file{path, std::ios::binary};
    CaptureWriter writer{[&](std::string_view block) { file << block; }, LinkType::ethernet};
    QueryLoad load{{.requests = 1'000, .rate = 1e4, .longest_ms = 64, .seed = 4}};
    LabFrame frame;
    std::vector<Sample> truth;
    while (load.next(frame, truth)) writer.write(frame.time, frame.bytes, frame.length);
    writer.flush();
  }
  const auto trial = CaptureTrial::read({path}, Kind::dns, [](double) {});
  std::remove(path.c_str());
  ASSERT_TRUE(trial) << trial.error().message;
  const std::vector<std::string> captures = {"office.pcap"};
  const auto json = nlohmann::json::parse(comparison_json({}, *trial, {}, captures));
  EXPECT_EQ(json["input"]["files"][0], "office.pcap");
  EXPECT_EQ(json["input"]["requests"], 1'000);
  const auto& quantiles = json["input"]["quantiles"];
  ASSERT_EQ(quantiles.size(), 4u);
  for (const auto& quantile : quantiles) {
    const double q = quantile["q"];
    ASSERT_TRUE(q > 0 && q < 1) << q;
    EXPECT_EQ(quantile["delay_ns"], trial->truth(static_cast<int>(std::lround(q * 100))).count());
  }
  EXPECT_LT(quantiles[0]["delay_ns"], quantiles[3]["delay_ns"]);
}

}  // namespace
}  // namespace sojourn
