#ifdef SOJOURN_WITH_SQLITE
#include "store/sqlite_store.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>

#include "store/cell_batch.h"
#include "store/test_references.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> subjects = {"north:south", "south:north", "north"};
constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

class SqliteStoreTest : public testing::Test {
 protected:
  SqliteStoreTest() {
    folder_ = std::filesystem::temp_directory_path() /
              ("sojourn_store_" + std::to_string(getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "sojourn.db";
  }
  ~SqliteStoreTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Store> open() {
    auto store = open_store(path_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  static CellSeries series_at(Timestamp time, std::uint8_t third = 0) {
    CellSeries series;
    series.slice = slice_of(time, finest_slice);
    series.measure = number_of(Measure::oneway);
    series.prefix = *IpAddress::parse("10.0." + std::to_string(third) + ".0");
    series.prefix_length = 24;
    return series;
  }
  static StoreWrite write_of(CellBatch& batch, Timestamp now,
                             std::span<const PointLedger> ledgers = {}) {
    return {now, now, subjects, batch.blocks(), ledgers, {}};
  }
  static double weight_in(Store& store, Timestamp from, Timestamp to,
                          Duration longest = Duration::max()) {
    double sum = 0;
    const auto done = store.read({"north:south", number_of(Measure::oneway), from, to, longest},
                                 [&](const CellSeries&, Duration, const CellBlock& block) {
                                   for (const HistogramCell& cell : block.cells) sum += cell.weight;
                                 });
    EXPECT_TRUE(done) << done.error().message;
    return sum;
  }

  std::filesystem::path folder_;
  std::string path_;
};

// Cells come for two days, some of them hours late.  For any question and tiers, each cell is in
// the answer once.
TEST_F(SqliteStoreTest, EveryCellIsInEveryAnswerOnce) {
  const auto store = open();
  std::mt19937_64 random{6};
  std::vector<std::pair<Timestamp, double>> truth;
  for (Timestamp now = start; now < start + 26h; now += 5min) {
    CellBatch batch;
    for (int i = 0; i < 20; ++i) {
      const Duration late = random() % 10 == 0 ? Duration{8h} : Duration{3min};
      const Timestamp at =
          now -
          Duration{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(late.count()))};
      batch.add(series_at(at, static_cast<std::uint8_t>(random() % 4)), 100, FlowTag::of(random()),
                1);
      truth.emplace_back(slice_of(at, finest_slice), 1);
    }
    ASSERT_TRUE(store->write(write_of(batch, now)));
  }
  const auto reader = *open_store_for_reading(path_);
  for (int round = 0; round < 300; ++round) {
    const Timestamp from = start - 8h + 10s * static_cast<int>(random() % 12'000);
    const Timestamp to = from + 10s * static_cast<int>(1 + random() % 12'000);
    const Duration longest = default_tiers[random() % 4].slice;
    double expected = 0;
    for (const auto& [slice, weight] : truth) expected += slice >= from && slice < to ? weight : 0;
    // Slices begin at multiples of their length: start is one of 10 s.
    EXPECT_EQ(weight_in(*reader, from, to, longest), expected) << "round " << round;
  }
}

TEST_F(SqliteStoreTest, OldSlicesLeaveTheirTierAndStayInLongerOnes) {
  const auto store = open();
  for (const Duration age : {Duration{0h}, Duration{24h}, Duration{24h * 3}, Duration{24h * 20}}) {
    CellBatch batch;
    batch.add(series_at(start + age), 100, FlowTag::of(1), 1);
    ASSERT_TRUE(store->write(write_of(batch, start + age)));
  }
  EXPECT_EQ(weight_in(*store, start - 6h, start + 24h * 21), 4);
  // Whoever opens it later finds the same, in slices of any length.
  const auto later = *open_store_for_reading(path_);
  for (const Tier& tier : default_tiers)
    for (const Duration age : {Duration{0h}, Duration{24h}, Duration{24h * 3}, Duration{24h * 20}})
      EXPECT_EQ(weight_in(*later, start + age - 6h, start + age + 6h, tier.slice),
                weight_in(*store, start + age - 6h, start + age + 6h, tier.slice))
          << to_ns(tier.slice) << " " << to_ns(age);
  EXPECT_EQ(weight_in(*later, start - 6h, start + 24h * 21), 4);
  auto database = SqliteDatabase::open(path_, SQLITE_OPEN_READONLY);
  ASSERT_TRUE(database);
  EXPECT_EQ(*database->number("select count(*) from blocks where tier = 0"), 1);
  EXPECT_EQ(*database->number("select count(*) from blocks where tier = 3"), 3);
}

TEST_F(SqliteStoreTest, LedgersAreReadBackAndWhatIsJoinedIsStored) {
  PointLedger ledger;
  ledger.point = "north";
  ledger.instance = ~std::uint64_t{0};
  ledger.reports = "1-5,9";
  ledger.accounts[Account::received] = 12;
  ledger.accounts[Account::joined] = 7;
  ledger.accounts[Account::waiting] = 5;
  ledger.clock_error_ns = 25'000;
  CellBatch none;
  ASSERT_TRUE(open()->write(write_of(none, start, {&ledger, 1})));
  const auto read = (*open_store_for_reading(path_))->ledgers();
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().instance, ledger.instance);
  EXPECT_EQ(read->front().reports, "1-5,9");
  EXPECT_EQ(read->front()[Account::stored], 7u);
  EXPECT_EQ(read->front().clock_error_ns, 25'000);
  EXPECT_EQ(read->front().fault(), "");
  PointLedger cut = ledger;
  cut.accounts[Account::records_exported] = 20;
  EXPECT_EQ(cut.not_received(), 8u);
}

// The disk becomes full in the middle of a write: nothing of the write is stored, and when there is
// room again the same write succeeds.
TEST_F(SqliteStoreTest, AFullDiskLeavesNothingHalfWritten) {
  const auto store = open();
  CellBatch batch;
  for (std::uint32_t i = 0; i < 20'000; ++i)
    batch.add(series_at(start + (i / 200) * finest_slice, static_cast<std::uint8_t>(i % 200)),
              static_cast<std::int32_t>(i % 50), FlowTag::of(i), 1);
  auto* sqlite = static_cast<SqliteStore*>(store.get());
  ASSERT_TRUE(sqlite->limit_pages(40));
  const auto refused = store->write(write_of(batch, start));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("full"), std::string::npos) << refused.error().message;
  EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), 0);
  ASSERT_TRUE(sqlite->limit_pages(1'000'000));
  ASSERT_TRUE(store->write(write_of(batch, start)));
  EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), 20'000);
}

// Killed (-9) at any moment: the stored cells and ledger are consistent.
TEST_F(SqliteStoreTest, AKilledWriterLeavesCellsAndLedgerThatAgree) {
  open();
  for (const int milliseconds : {20, 60, 250}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = *open_store(path_);
      PointLedger ledger;
      ledger.point = "north";
      const auto before = *store->ledgers();
      if (!before.empty()) ledger = before.front();
      while (true) {
        CellBatch batch;
        for (int i = 0; i < 300; ++i)
          batch.add(series_at(start + i * finest_slice), 7, FlowTag::of(1), 1);
        ledger.accounts[Account::joined] += 300;
        ledger.accounts[Account::received] += 300;
        if (!store->write(write_of(batch, start, {&ledger, 1}))) _exit(1);
      }
    }
    usleep(static_cast<useconds_t>(milliseconds) * 1000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const auto store = open();
    const auto ledgers = *store->ledgers();
    const double joined = ledgers.empty() ? 0 : static_cast<double>(ledgers[0][Account::joined]);
    EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), joined);
  }
}

TEST_F(SqliteStoreTest, RefusesWhatIsNotItsOwn) {
  {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(other->run("create table t (x)"));
  }
  const auto store = open_store(path_);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("another program"), std::string::npos);
  const auto absent = open_store_for_reading(path_ + ".absent");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find("there is no store"), std::string::npos);
}

TEST_F(SqliteStoreTest, RefusesALayoutOfAnotherVersion) {
  open();
  {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(other->run("pragma user_version = 99"));
  }
  const auto store = open_store(path_);
  ASSERT_FALSE(store);
  EXPECT_NE(store.error().message.find("version 99"), std::string::npos);
}

// Somebody repaired a file by hand: a clock that cannot be read is not one that is unknown.
TEST_F(SqliteStoreTest, AMissingTableOfClocksIsAnError) {
  const auto store = open();
  const auto unknown = store->clock("north:south", start, start + 1h);
  ASSERT_TRUE(unknown) << unknown.error().message;
  EXPECT_FALSE(*unknown);
  {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(other->run("drop table clocks"));
  }
  const auto clock = store->clock("north:south", start, start + 1h);
  ASSERT_FALSE(clock);
  EXPECT_NE(clock.error().message.find("clocks"), std::string::npos) << clock.error().message;
}

PointMarks marks_of(std::uint64_t instance, std::int64_t first, std::int64_t last) {
  PointMarks marks{.point = "north",
                   .instance = instance,
                   .run = {.duty = "mark", .method = "double", .carrier = "dscp:1,0"},
                   .counts = {}};
  marks.run.clock_error = 3us;
  marks.run.since = start + first * 1s;
  for (std::int64_t i = first; i <= last; ++i)
    for (const char* flow : {"", "any", "protocol=udp"}) {
      MarkCount& count = marks.counts.emplace_back();
      count.interval = i;
      count.start = start + i * 1s;
      count.read_at = count.start + 1500ms;
      count.flow = flow;
      count.packets = *flow == 0 ? 0 : static_cast<std::uint64_t>(100 + i);
      count.pulses = 1;
      count.pulse_time = count.start + 300ms;
      count.late = 7us;
      count.early = 8us;
      count.middle = 9;
      count.contrary = 10;
      count.other = 11;
      count.marked_before = 12;
      count.repeats = 13;
    }
  return marks;
}

TEST_F(SqliteStoreTest, MarksThatComeLateOrTwiceAreThereOnce) {
  const PointMarks early = marks_of(7, 0, 9), late = marks_of(7, 5, 14),
                   other = marks_of(8, 20, 29);
  const auto stored = [&](std::vector<PointMarks> order) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const auto store = open();
    CellBatch none;
    for (const PointMarks& marks : order) {
      StoreWrite write = write_of(none, start + 60s);
      write.marks = {&marks, 1};
      EXPECT_TRUE(store->write(write));
    }
    return store->marks("north", start + 2s, start + 25s);
  };
  auto whole = marks_of(7, 0, 14);
  whole.run.since = early.run.since;
  auto repeated = late;
  repeated.run.since = early.run.since;
  const auto once = stored({whole, other});
  ASSERT_TRUE(once) << once.error().message;
  ASSERT_EQ(once->size(), 2u);
  EXPECT_EQ((*once)[0].run, whole.run);
  EXPECT_EQ((*once)[0].instance, 7u);
  EXPECT_EQ((*once)[0].counts.size(), 3u * 13);
  EXPECT_EQ((*once)[1].counts.size(), 3u * 5);
  for (const MarkCount& count : (*once)[0].counts)
    EXPECT_NE(std::ranges::find(whole.counts, count), whole.counts.end());
  const auto twice = stored({other, repeated, early, repeated, other});
  ASSERT_TRUE(twice) << twice.error().message;
  ASSERT_EQ(twice->size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ((*twice)[i].run, (*once)[i].run);
    EXPECT_EQ((*twice)[i].counts, (*once)[i].counts);
  }
}

// A clock was set back, and the point read an interval of that number a second time.
TEST_F(SqliteStoreTest, OfTwoReadingsTheOneInDoubtCountsWhicheverComesFirst) {
  PointMarks one = marks_of(7, 3, 3), doubted = one;
  for (MarkCount& count : doubted.counts) {
    count.doubt = "not-recorded";
    count.read_at -= 10s;
    count.packets = 5;
  }
  for (const bool doubted_first : {false, true}) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    const auto store = open();
    CellBatch none;
    for (const bool now : {doubted_first, !doubted_first}) {
      StoreWrite write = write_of(none, start + 60s);
      write.marks = {now ? &doubted : &one, 1};
      EXPECT_TRUE(store->write(write));
    }
    const auto found = store->marks("north", start, start + 60s);
    ASSERT_TRUE(found && found->size() == 1);
    EXPECT_EQ((*found)[0].counts, doubted.counts);
  }
}

TEST_F(SqliteStoreTest, MarksAreDroppedAfterTwoDays) {
  const auto store = open();
  const PointMarks old = marks_of(7, 0, 9), fresh = marks_of(8, 1'000, 1'009);
  CellBatch none;
  for (const PointMarks& marks : {old, fresh}) {
    StoreWrite write = write_of(none, start + 60s);
    write.marks = {&marks, 1};
    ASSERT_TRUE(store->write(write));
  }
  ASSERT_TRUE(store->write(write_of(none, start + marks_kept + 500s)));
  const auto left = store->marks("north", start, start + 24h);
  ASSERT_TRUE(left);
  ASSERT_EQ(left->size(), 1u);
  EXPECT_EQ((*left)[0].instance, 8u);
}

// Or a collector that is told of ever new flows keeps their names for ever.
TEST_F(SqliteStoreTest, FlowsWithoutMarksAreForgotten) {
  const auto store = open();
  const auto flows_left = [&] {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    return other->number("select count(*) from mark_flows").value_or(-1);
  };
  CellBatch none;
  const auto write_flow = [&](int number, Timestamp now) {
    PointMarks marks = marks_of(7, 0, 0);
    for (MarkCount& count : marks.counts) {
      count.start = now;
      if (!count.flow.empty()) count.flow = "destination-port=" + std::to_string(number);
    }
    StoreWrite write = write_of(none, now);
    write.marks = {&marks, 1};
    ASSERT_TRUE(store->write(write));
  };
  // Every hour another flow, and one that is always there.
  Timestamp now = start;
  for (int hour = 0; hour < 200; ++hour, now += 1h) {
    write_flow(hour, now);
    write_flow(1'000'000, now + 1s);
  }
  EXPECT_LE(flows_left(), 52);
  EXPECT_GE(flows_left(), 48);
  const auto found = store->marks("north", start, now);
  ASSERT_TRUE(found && found->size() == 1);
  std::size_t named = 0;
  for (const MarkCount& count : (*found)[0].counts) named += !count.flow.empty();
  EXPECT_EQ(named * 2, (*found)[0].counts.size());  // one of the interval, one of the flow
  ASSERT_TRUE(store->write(write_of(none, now + marks_kept + 2h)));
  EXPECT_EQ(flows_left(), 0);
  write_flow(1'000'000, now + marks_kept + 2h);  // it is back
  EXPECT_EQ(flows_left(), 1);
}

TEST_F(SqliteStoreTest, AFileOfAnEarlierVersionForgetsFlowsToo) {
  const PointMarks marks = marks_of(7, 0, 9);
  CellBatch none;
  StoreWrite write = write_of(none, start + 60s);
  write.marks = {&marks, 1};
  {
    const auto store = open();
    ASSERT_TRUE(store->write(write));
  }
  {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(other->run("alter table mark_flows drop column until_ns"));
  }
  const auto store = open();
  const auto kept = store->marks("north", start, start + 60s);
  ASSERT_TRUE(kept && kept->size() == 1);
  EXPECT_EQ((*kept)[0].counts, marks.counts);
  ASSERT_TRUE(store->write(write_of(none, start + marks_kept + 2h)));
  auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
  EXPECT_EQ(other->number("select count(*) from mark_flows").value_or(-1), 0);
}

TEST_F(SqliteStoreTest, ReferencesThatComeTwiceOrInPartsAreThereOnce) {
  const auto store = open();
  test_references_are_there_once(*store, start);
}

TEST_F(SqliteStoreTest, ReferencesAreDroppedAfterTwoDays) {
  const auto store = open();
  const auto left = [&](std::string_view table) {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    return other->number("select count(*) from " + std::string{table}).value_or(-1);
  };
  const PointReferences old = references_of("north", 7, start, 3),
                        fresh = references_of("north", 8, start + 1'000s, 2);
  ASSERT_TRUE(store->write(write_of_references({old, fresh}, start + 1'060s)));
  EXPECT_EQ(left("reference_intervals"), 5);
  EXPECT_EQ(left("reference_flows"), 10);
  CellBatch none;
  ASSERT_TRUE(store->write(write_of(none, start + marks_kept + 500s)));
  EXPECT_EQ(left("reference_runs"), 1);
  EXPECT_EQ(left("reference_intervals"), 2);
  EXPECT_EQ(left("reference_flows"), 4);
}

// No collector has written to it since.
TEST_F(SqliteStoreTest, AFileWithoutTablesOfReferencesHasNone) {
  open();
  {
    auto other = SqliteDatabase::open(path_, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE(other->run("drop table reference_flows; drop table reference_runs"));
  }
  const auto store = open_store_for_reading(path_);
  ASSERT_TRUE(store);
  EXPECT_TRUE(all_references(**store, {"", start, start + 60s}).empty());
}

}  // namespace
}  // namespace sojourn
#endif  // SOJOURN_WITH_SQLITE
