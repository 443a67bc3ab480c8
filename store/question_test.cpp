#include "store/question.h"

#include <gtest/gtest.h>

#include <map>

#include "naming/stored_group.h"
#include "store/cell_batch.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

/// Stores blocks as they are, in slices of 10 s.
class MemoryStore : public Store {
 public:
  void add(const std::string& subject, CellSeries series, const CellBlock& block) {
    blocks_[subject].emplace_back(series, block);
  }
  std::optional<Timestamp> judged_until = start + 24h;

  Result<void> write(const StoreWrite&) override { return failure("not here"); }
  Result<std::vector<PointLedger>> ledgers() override { return std::vector<PointLedger>{}; }
  Result<StoreAge> age() override { return StoreAge{start + 1h, judged_until}; }
  Result<std::vector<SubjectSummary>> subjects() override {
    std::vector<SubjectSummary> all;
    for (const auto& [name, blocks] : blocks_) {
      all.push_back({name, {}});
      for (const auto& [series, block] : blocks)
        if (std::ranges::find(all.back().measures, series.measure) == all.back().measures.end())
          all.back().measures.push_back(series.measure);
    }
    return all;
  }
  Result<std::optional<SegmentClock>> clock(const std::string&, Timestamp, Timestamp) override {
    return std::optional<SegmentClock>{};
  }
  Result<void> read(const StoreRead& read, const BlockVisitor& visit) override {
    if (broken) return failure("the disk is gone");
    for (const auto& [series, block] : blocks_[read.subject])
      if (series.measure == read.measure && series.slice >= read.from && series.slice < read.to)
        visit(series, finest_slice, block);
    return {};
  }
  Result<std::optional<Timestamp>> newest(const std::string& subject) override {
    std::optional<Timestamp> newest;
    for (const auto& [series, block] : blocks_[subject])
      newest = std::max(newest, std::optional{series.slice + finest_slice});
    return newest;
  }
  bool broken = false;

 private:
  std::map<std::string, std::vector<std::pair<CellSeries, CellBlock>>> blocks_;
};

CellSeries series_of(const char* prefix, std::uint8_t length, Timestamp slice,
                     std::uint8_t measure = number_of(Measure::oneway)) {
  CellSeries series;
  series.slice = slice;
  series.measure = measure;
  series.prefix = *IpAddress::parse(prefix);
  series.prefix_length = length;
  return series;
}

/// `count` samples of this delay, each its own flow.
CellBlock block_of(Duration delay, int count) {
  CellBlock block;
  for (int i = 0; i < count; ++i) {
    const FlowTag flow = FlowTag::numbered(static_cast<std::uint64_t>(i));
    CellBlock one;
    one.marks[flow.group()] = std::uint64_t{1} << flow.mark();
    one.cells = {
        {static_cast<std::uint8_t>(flow.group()), LogBuckets::index_of(to_ns(delay)), 1, 1}};
    block.add(one);
  }
  return block;
}

CellBlock loss_block(double sent, double arrived) {
  CellBlock block;
  block.marks[0] = 1;
  block.cells = {{0, static_cast<std::int32_t>(LossBin::sent), sent, sent},
                 {0, static_cast<std::int32_t>(LossBin::arrived), arrived, arrived}};
  return block;
}

Question an_hour() {
  Question question;
  question.from = start;
  question.to = start + 1h;
  question.columns = 6;
  return question;
}

TEST(Ask, AllTrafficIsTheSumOfItsPrefixes) {
  MemoryStore store;
  store.add("north:south", series_of("10.1.2.0", 24, start), block_of(10ms, 300));
  store.add("north:south", series_of("10.1.3.0", 24, start + 30min), block_of(30ms, 100));
  Question question = an_hour();
  question.prefix_length = 24;
  const auto answer = ask(store, question);
  ASSERT_TRUE(answer);
  const auto& rows = answer->subjects.at(0).rows;
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_FALSE(rows[0].prefix);
  EXPECT_EQ(rows[0].delays.total_weight(), 400);
  // Then by weight.
  EXPECT_EQ(rows[1].prefix->to_string(), "10.1.2.0/24");
  EXPECT_EQ(rows[2].delays.total_weight(), 100);
  // Shorter prefixes add up longer ones.
  question.prefix_length = 16;
  const auto shorter = ask(store, question);
  ASSERT_EQ(shorter->subjects[0].rows.size(), 2u);
  EXPECT_EQ(shorter->subjects[0].rows[1].prefix->to_string(), "10.1.0.0/16");
  EXPECT_EQ(shorter->subjects[0].rows[1].delays.total_weight(), 400);
}

TEST(Ask, HostsAreShownWhereTheyWereKeptAndAddUpToPrefixes) {
  MemoryStore store;
  store.add("north", series_of("10.1.2.7", 32, start), block_of(10ms, 300));
  store.add("north", series_of("10.1.2.8", 32, start), block_of(30ms, 200));
  store.add("north", series_of("2001:db8:1::7", 128, start), block_of(30ms, 100));
  store.add("north", series_of("10.9.9.0", 24, start), block_of(30ms, 50));
  const auto prefixes = [&](std::size_t length) {
    Question question = an_hour();
    question.prefix_length = length;
    std::vector<std::string> names;
    const auto answer = ask(store, question);
    for (const AnswerRow& row : answer->subjects.at(0).rows)
      if (row.prefix) names.push_back(row.prefix->to_string());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(prefixes(Question::as_stored),
            (Names{"10.1.2.7/32", "10.1.2.8/32", "2001:db8:1::7/128", "10.9.9.0/24"}));
  EXPECT_EQ(prefixes(24), (Names{"10.1.2.0/24", "2001:db8:1::/48", "10.9.9.0/24"}));
  EXPECT_EQ(prefixes(8), (Names{"10.0.0.0/8", "2001::/16"}));
}

TEST(Ask, TheCourseHasTheMeanOfEachStretch) {
  MemoryStore store;
  store.add("north:south", series_of("10.1.2.0", 24, start), block_of(10ms, 3));
  store.add("north:south", series_of("10.1.3.0", 24, start + 5min), block_of(30ms, 1));
  store.add("north:south", series_of("10.1.3.0", 24, start + 59min), block_of(20ms, 1));
  const auto answer = ask(store, an_hour());
  const auto& course = answer->subjects.at(0).rows.at(0).course;
  ASSERT_EQ(course.size(), 6u);
  ASSERT_TRUE(course[0] && course[5]);
  EXPECT_NEAR(static_cast<double>(to_ns(*course[0])), 15e6, 15e6 / 128);
  EXPECT_NEAR(static_cast<double>(to_ns(*course[5])), 20e6, 20e6 / 128);
  for (const std::size_t empty : {1u, 2u, 3u, 4u}) EXPECT_FALSE(course[empty]);
}

TEST(Ask, LossIsOfWhatIsJudged) {
  MemoryStore store;
  const auto loss = number_of(Measure::loss);
  store.add("north:south", series_of("10.1.2.0", 24, start), block_of(10ms, 3));
  store.add("north:south", series_of("10.1.2.0", 24, start, loss), loss_block(1000, 900));
  store.add("north:south", series_of("10.1.2.0", 24, start + 50min, loss), loss_block(1000, 0));
  store.judged_until = start + 50min;  // of the rest some is still waited for
  Question question = an_hour();
  question.loss = true;
  const auto answer = ask(store, question);
  const auto& row = answer->subjects.at(0).rows.at(0);
  EXPECT_EQ(answer->age.judged_until, start + 50min);  // people are told
  ASSERT_TRUE(row.loss);
  EXPECT_EQ(row.loss->sent, 1000);
  EXPECT_DOUBLE_EQ(row.loss->share, 0.1);
  EXPECT_LT(row.loss->low, 0.1);
  EXPECT_GT(row.loss->high, 0.1);
  for (const std::optional<Timestamp> none : {std::optional{start}, std::optional<Timestamp>{}}) {
    store.judged_until = none;
    EXPECT_FALSE(ask(store, question)->subjects.at(0).rows.at(0).loss);
  }
  question.loss = false;
  EXPECT_FALSE(ask(store, question)->subjects.at(0).rows.at(0).loss);
}

TEST(Ask, OnlyTheSubjectsThatWereNamed) {
  MemoryStore store;
  for (const char* name : {"north:south", "south:north"})
    store.add(name, series_of("10.1.2.0", 24, start), block_of(10ms, 3));
  Question question = an_hour();
  EXPECT_EQ(ask(store, question)->subjects.size(), 2u);
  question.subjects = {"south:north"};
  const auto answer = ask(store, question);
  ASSERT_EQ(answer->subjects.size(), 1u);
  EXPECT_EQ(answer->subjects[0].name, "south:north");
  EXPECT_EQ(answer->subjects[0].newest, start + 10s);
  question.subjects = {"east:west"};
  const auto unknown = ask(store, question);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message,
            "the store knows nothing of east:west; it has north:south south:north");
}

TEST(Ask, WhatTheStoreRefusesIsAnError) {
  MemoryStore store;
  store.add("north:south", series_of("10.1.2.0", 24, start), block_of(10ms, 3));
  store.broken = true;
  EXPECT_FALSE(ask(store, an_hour()));
}

// Flows contain the data of all other groups; data stored by port has no prefix.
TEST(Question, FlowsAddUpToPortsHostsAndPrefixes) {
  MemoryStore store;
  const auto add = [&](const char* group, int flow) {
    const Prefix kept = *parse_group(group);
    CellBatch batch;
    CellSeries series{
        start,         0, number_of(Kind::tcp), 0, static_cast<std::uint8_t>(kept.length()),
        kept.network()};
    batch.add(series, 100, FlowTag::numbered(static_cast<std::uint64_t>(flow)), 1);
    for (const auto& [key, block] : batch.blocks()) store.add("shop", key, block);
  };
  add("192.0.2.7:5001 > 198.51.100.1:443", 1);
  add("192.0.2.8:5002 > 198.51.100.1:443", 2);
  add("192.0.2.7:5003 > 198.51.100.2:53", 3);
  add("port 443", 4);
  const auto rows_by = [&](GroupBy by, std::size_t length,
                           std::optional<Prefix> within = std::nullopt) {
    Question question;
    question.from = start;
    question.to = start + 1h;
    question.by = by;
    question.prefix_length = length;
    question.within = within;
    const auto answer = ask(store, question);
    EXPECT_TRUE(answer);
    std::map<std::string, double> rows;
    for (const AnswerRow& row : answer->subjects[0].rows)
      rows[row.prefix ? group_name(*row.prefix) : "all"] = row.delays.total_weight();
    return rows;
  };
  using Rows = std::map<std::string, double>;
  EXPECT_EQ(rows_by(GroupBy::port, 24), (Rows{{"all", 4}, {"port 443", 3}, {"port 53", 1}}));
  EXPECT_EQ(rows_by(GroupBy::prefix, Question::as_stored),
            (Rows{{"all", 4}, {"198.51.100.1/32", 2}, {"198.51.100.2/32", 1}}));
  EXPECT_EQ(rows_by(GroupBy::prefix, 24), (Rows{{"all", 4}, {"198.51.100.0/24", 3}}));
  EXPECT_EQ(rows_by(GroupBy::flow, 24).size(), 4u);
  EXPECT_EQ(rows_by(GroupBy::stored, 24).size(), 5u);
  EXPECT_EQ(rows_by(GroupBy::flow, 24, *parse_group("port 53")),
            (Rows{{"all", 1}, {"192.0.2.7:5003 > 198.51.100.2:53", 1}}));
}

}  // namespace
}  // namespace sojourn
