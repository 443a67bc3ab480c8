// compare and tune on a generated capture whose distribution is known.

#include "experiments/capture/capture_trial.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "capture/capture_writer.h"
#include "experiments/capture/accuracy_target.h"
#include "experiments/capture/compare.h"
#include "experiments/capture/tune.h"
#include "lab/query_load.h"

namespace sojourn {
namespace {

/// 40 000 queries in 0.4 s, 40 % answered within 64 ms.
class CaptureTrialTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = (std::filesystem::temp_directory_path() /
             ("sojourn-trial-" + std::to_string(getpid()) + ".pcap"))
                .string();
    std::ofstream file{path_, std::ios::binary};
    CaptureWriter writer{[&](std::string_view block) { file << block; }, LinkType::ethernet};
    QueryLoad load{{.requests = 40'000, .rate = 1e5, .longest_ms = 64, .seed = 4}};
    LabFrame frame;
    while (load.next(frame, truth_)) writer.write(frame.time, frame.bytes, frame.length);
    writer.flush();
  }
  void TearDown() override { std::remove(path_.c_str()); }

  CaptureTrial read() {
    return *CaptureTrial::read({path_}, Kind::dns, [](double) {});
  }

  std::string path_;
  std::vector<Sample> truth_;
};

TEST_F(CaptureTrialTest, TheExactTableFindsTheTruth) {
  CaptureTrial trial = read();
  EXPECT_EQ(trial.pairs(), truth_.size());
  EXPECT_EQ(trial.requests(), 40'000u);
  const TrialOutcome exact = trial.run({}, 7);
  EXPECT_DOUBLE_EQ(exact.total, 1);
  EXPECT_LT(exact.worst_octaves(), 0.02);  // the histogram's resolution
  EXPECT_NEAR(static_cast<double>(trial.truth(50).count()), 8e6, 0.6e6);
}

TEST_F(CaptureTrialTest, SaysThatTheCaptureIsCut) {
  EXPECT_TRUE(read().warnings().empty());
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2 + 1);
  const CaptureTrial trial = read();
  ASSERT_EQ(trial.warnings().size(), 1u);
  EXPECT_NE(trial.warnings()[0].find("cut in the middle"), std::string::npos);
}

/// A ping and its answer for each of so many pairs of hosts.
std::string write_pings(unsigned pairs) {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("sojourn-trial-pings-" + std::to_string(getpid()) + ".pcap"))
                         .string();
  std::ofstream file{path, std::ios::binary};
  CaptureWriter writer{[&](std::string_view block) { file << block; }, LinkType::raw};
  for (unsigned i = 0; i < 2 * pairs; ++i) {
    const bool replies = i % 2 != 0;
    std::array<std::uint8_t, 28> packet{0x45, 0, 0, 28, 0, 0, 0, 0, 64, 1};
    packet[replies ? 16 : 12] = packet[replies ? 12 : 16] = 10;
    packet[replies ? 19 : 15] = static_cast<std::uint8_t>(i / 2 % 250 + 1);
    packet[replies ? 14 : 18] = static_cast<std::uint8_t>(i / 2 / 250 + 1);
    packet[20] = replies ? 0 : 8;
    writer.write(timestamp_from_ns(1'000'000'000 + i * 1'000'000), std::as_bytes(std::span{packet}),
                 packet.size());
  }
  writer.flush();
  return path;
}

/// The rules read addresses when the capture has long been closed.
TEST(CaptureTrialOfPings, RulesRunAgainWithFewerConnections) {
  const std::string path = write_pings(500);
  CaptureTrial trial = *CaptureTrial::read({path}, Kind::icmp, [](double) {});
  std::remove(path.c_str());
  EXPECT_EQ(trial.pairs(), 500u);
  const CompareOptions options{.memories = {8192}, .seeds = 1};
  const auto comparison = compare_tables(trial, options, [](double) {});
  ASSERT_TRUE(comparison) << comparison.error().message;
}

TEST_F(CaptureTrialTest, MoreMemoryIsMoreAccurateAndSeedsDiffer) {
  CaptureTrial trial = read();
  const CompareOptions options{.memories = {4096, 1 << 20}, .seeds = 5};
  const auto comparison = compare_tables(trial, options, [](double) {});
  ASSERT_TRUE(comparison);
  const std::size_t tables = fixed_memory_tables().size();
  ASSERT_EQ(comparison->tables.size(), 2 * tables);
  EXPECT_GE(tables, 5u);
  for (std::size_t i = 0; i < tables; ++i) {
    const ComparedTable &small = comparison->tables[i], &large = comparison->tables[tables + i];
    EXPECT_EQ(small.table, large.table);
    EXPECT_GT(small.worst, large.worst) << name_of(small.table);
    EXPECT_LT(small.samples, large.samples) << name_of(small.table);
  }
  const auto fridges = *choose_table({.kind = TableKind::fridges, .memory_bytes = 4096});
  EXPECT_NE(trial.run(fridges, 1).samples, trial.run(fridges, 2).samples);
  EXPECT_EQ(trial.run(fridges, 1).samples, trial.run(fridges, 1).samples);
  EXPECT_LE(trial.run(fridges, 1).memory_bytes, 4096u);
  EXPECT_GT(trial.run(fridges, 1).memory_bytes, 2048u);
  // Each fridge by itself stands for all pairs; weighed together they still do.
  const auto weighed = *choose_table({.kind = TableKind::fridges_ivw, .memory_bytes = 1 << 20});
  EXPECT_NEAR(trial.run(weighed, 1).total, 1, 0.15);

  const LabReport report = report_of(*comparison, trial, options);
  EXPECT_EQ(report.tables.front().rows.size(), 2 * tables);
  EXPECT_EQ(report.figures.front().chart.series.size(), tables);
}

TEST_F(CaptureTrialTest, TuneFindsLessMemoryForLessAccuracy) {
  CaptureTrial trial = read();
  const auto tuned = [&](const char* target) {
    return tune(trial,
                {.target = *AccuracyTarget::parse(target), .seeds = 5, .most_memory = 1 << 20},
                [](double) {});
  };
  const Tuning rough = tuned("p50 within 40%"), fine = tuned("p50 within 0.5%"),
               impossible = tuned("p50 within 0.00001%");
  ASSERT_TRUE(rough.best && fine.best);
  EXPECT_LT(rough.best->memory_bytes, fine.best->memory_bytes);
  EXPECT_LE(fine.best->strain, 1);
  EXPECT_LE(fine.best->confirmed, 1);
  EXPECT_NE(fine.best->wishes.kind, TableKind::staged);
  EXPECT_FALSE(impossible.best);
  EXPECT_FALSE(impossible.tried.empty());
  // Its advice can be parsed, and is what it tried.
  EXPECT_TRUE(arguments_of(*fine.best).starts_with("--table "));
}

TEST(AccuracyTarget, SaysWhatItDoesNotUnderstand) {
  const auto target = AccuracyTarget::parse("p50 within 5%, p99.9 within 0.5%");
  ASSERT_TRUE(target);
  TrialOutcome outcome;
  outcome.ratio[50] = 1.1, outcome.p999_ratio = 1;
  EXPECT_NEAR(target->strain(outcome), 0.1 / 0.05, 1e-9);
  outcome.ratio[50] = 1, outcome.p999_ratio = 0.99;
  EXPECT_NEAR(target->strain(outcome), 0.01 / 0.005, 1e-9);
  for (const char* wrong : {"", "p99", "p99 within 10", "99 within 10%", "p100 within 1%",
                            "p50.5 within 1%", "p50 within -1%", "p50 within 5%,"})
    EXPECT_FALSE(AccuracyTarget::parse(wrong)) << wrong;
}

TEST(AccuracyTarget, TheLargestShareOfWhatIsAllowedDecides) {
  TrialOutcome outcome;
  outcome.ratio.fill(1);
  outcome.ratio[50] = 1.02;
  outcome.ratio[99] = 0.8;
  EXPECT_NEAR(AccuracyTarget::parse("p50 within 5%")->strain(outcome), 0.4, 1e-9);
  EXPECT_NEAR(AccuracyTarget::parse("p50 within 5%, p99 within 10%")->strain(outcome), 2, 1e-9);
  EXPECT_NEAR(outcome.octaves(99), -std::log2(0.8), 1e-12);
  EXPECT_NEAR(outcome.worst_octaves(), std::log2(1.02), 1e-12);
}

}  // namespace
}  // namespace sojourn
