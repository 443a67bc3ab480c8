#include "store/clickhouse_store.h"

#include <gtest/gtest.h>

#include <random>

#include "store/cell_batch.h"
#include "store/question.h"
#include "store/test_clickhouse.h"
#include "store/test_references.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

const std::vector<std::string> subjects = {"north:south", "south:north", "no'rth\\"};
constexpr Timestamp start = timestamp_from_ns(1'700'000'000'000'000'000);

/// Two shards; the responses of the first can be lost.
class ClickHouseStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!TestClickHouse::installed()) GTEST_SKIP() << "needs clickhouse-server";
    folder_ =
        std::filesystem::temp_directory_path() / ("sojourn_clickhouse_" + std::to_string(getpid()));
    for (int i = 0; i < 2; ++i)
      shards_.push_back(std::make_unique<TestClickHouse>(folder_ / ("shard" + std::to_string(i))));
    between_ = std::make_unique<AnswerSwallower>(shards_[0]->port());
    name_ = fmt::format("clickhouse://127.0.0.1:{},127.0.0.1:{}/net", between_->port(),
                        shards_[1]->port());
  }
  void TearDown() override {
    between_.reset();
    shards_.clear();
    std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<Store> open() const {
    auto store = open_store(name_);
    EXPECT_TRUE(store) << store.error().message;
    return std::move(*store);
  }
  static CellSeries series_at(Timestamp time, std::uint8_t third = 0, std::uint32_t subject = 0) {
    CellSeries series;
    series.slice = slice_of(time, finest_slice);
    series.subject = subject;
    series.measure = number_of(Measure::oneway);
    series.prefix = *IpAddress::parse("10.0." + std::to_string(third) + ".0");
    series.prefix_length = 24;
    return series;
  }
  static StoreWrite write_of(CellBatch& batch, Timestamp now,
                             std::span<const PointLedger> ledgers = {},
                             std::span<const SegmentClock> clocks = {}) {
    return {now, now, subjects, batch.blocks(), ledgers, clocks};
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
  std::uint64_t rows_on(std::size_t shard, const std::string& condition) const {
    clickhouse::Address address;
    address.database = "net";
    const clickhouse::Server server{{"127.0.0.1", shards_[shard]->port()}, address};
    const auto bytes =
        server.select("select count() from cells where " + condition + " format RowBinary");
    EXPECT_TRUE(bytes) << bytes.error().message;
    return clickhouse::RowReader{*bytes}.number<std::uint64_t>();
  }

  std::filesystem::path folder_;
  std::vector<std::unique_ptr<TestClickHouse>> shards_;
  std::unique_ptr<AnswerSwallower> between_;
  std::string name_;
};

#ifdef SOJOURN_WITH_SQLITE

void expect_same(const Answer& a, const Answer& b) {
  EXPECT_EQ(a.age.written, b.age.written);
  EXPECT_EQ(a.age.judged_until, b.age.judged_until);
  ASSERT_EQ(a.subjects.size(), b.subjects.size());
  for (std::size_t i = 0; i < a.subjects.size(); ++i) {
    const AnswerSubject &one = a.subjects[i], &other = b.subjects[i];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.newest, other.newest);
    ASSERT_EQ(one.clock.has_value(), other.clock.has_value());
    if (one.clock) {
      EXPECT_EQ(one.clock->error_ns, other.clock->error_ns);
      EXPECT_EQ(one.clock->offset_low_ns, other.clock->offset_low_ns);
      EXPECT_EQ(one.clock->offset_high_ns, other.clock->offset_high_ns);
    }
    ASSERT_EQ(one.rows.size(), other.rows.size());
    for (std::size_t j = 0; j < one.rows.size(); ++j) {
      EXPECT_EQ(one.rows[j].prefix, other.rows[j].prefix);
      EXPECT_EQ(one.rows[j].leg, other.rows[j].leg);
      EXPECT_EQ(one.rows[j].course, other.rows[j].course);
      EXPECT_EQ(one.rows[j].delays.total_weight(), other.rows[j].delays.total_weight());
      for (const double q : {0.5, 0.95})
        EXPECT_EQ(one.rows[j].delays.quantile(q), other.rows[j].delays.quantile(q));
      ASSERT_EQ(one.rows[j].loss.has_value(), other.rows[j].loss.has_value());
      if (one.rows[j].loss) {
        EXPECT_EQ(one.rows[j].loss->low, other.rows[j].loss->low);
        EXPECT_EQ(one.rows[j].loss->high, other.rows[j].loss->high);
      }
    }
  }
}

// Cells of two days, some hours late, with losses, ledgers and clocks: both stores give the same
// answer to every question.
TEST_F(ClickHouseStoreTest, AnswersAsSqliteDoes) {
  const auto cluster = open();
  const auto file = open_store((folder_ / "sojourn.db").string());
  ASSERT_TRUE(file);
  std::mt19937_64 random{15};
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (Timestamp now = start; now < start + 50h; now += 200min) {
    CellBatch batch;
    for (int i = 0; i < 300; ++i) {
      const Duration late = below(10) == 0 ? Duration{8h} : Duration{3min};
      const Timestamp at =
          now -
          Duration{static_cast<std::int64_t>(below(static_cast<std::uint64_t>(late.count())))};
      CellSeries series =
          series_at(at, static_cast<std::uint8_t>(below(4)), static_cast<std::uint32_t>(below(3)));
      if (below(8) == 0) {
        series.prefix = *IpAddress::parse("2001:db8:7::");
        series.prefix_length = 48;
      }
      const FlowTag flow = FlowTag::of(random());
      batch.add(series, static_cast<std::int32_t>(below(300)) - 20, flow,
                static_cast<double>(1 + below(40)) / 2);
      series.measure = number_of(Measure::loss);
      for (const LossBin bin : {LossBin::sent, LossBin::arrived})
        batch.add(series, static_cast<std::int32_t>(bin), flow,
                  static_cast<double>(100 - (bin == LossBin::arrived ? below(10) : 0)));
    }
    PointLedger ledger;
    ledger.point = "north";
    ledger.instance = 7 + static_cast<std::uint64_t>(to_ns(now - start) / to_ns(20h));
    ledger.reports = "1-" + std::to_string(batch.size());
    ledger.accounts[Account::joined] = batch.size();
    ledger.accounts[Account::received] = batch.size();
    ledger.last_heard = now;
    const std::vector<SegmentClock> clocks = {
        {0, slice_of(now, 10min), static_cast<std::int64_t>(below(1000)), std::nullopt, 5},
        {1, slice_of(now, 10min), std::nullopt, -5, static_cast<std::int64_t>(below(9))}};
    for (Store* store : {cluster.get(), file->get()}) {
      const auto done = store->write(write_of(batch, now, {&ledger, 1}, clocks));
      ASSERT_TRUE(done) << done.error().message;
    }
  }
  const auto reader = open_store_for_reading(name_);
  ASSERT_TRUE(reader);
  for (int round = 0; round < 6; ++round) {
    Question question;
    question.from = start - 8h + 10s * static_cast<int>(below(20'000));
    question.to = question.from + 10s * static_cast<int>(1 + below(20'000));
    question.loss = true;
    if (below(2) == 0) question.prefix_length = 16 + below(9);
    const auto one = ask(**reader, question), other = ask(**file, question);
    ASSERT_TRUE(one && other);
    expect_same(*one, *other);
    if (HasFailure()) FAIL() << "round " << round;
  }
  const auto one = *(*reader)->ledgers(), other = *(*file)->ledgers();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].instance, other[i].instance);
    EXPECT_EQ(one[i].reports, other[i].reports);
    for (std::size_t j = 0; j < account_names.size(); ++j)
      EXPECT_EQ(one[i][static_cast<Account>(j)], other[i][static_cast<Account>(j)]);
    EXPECT_EQ(one[i].last_heard, other[i].last_heard);
  }
  // Both shards have a part of it.
  for (const std::size_t shard : {0u, 1u}) EXPECT_GT(rows_on(shard, "tier = 0"), 100u);
}

#endif  // SOJOURN_WITH_SQLITE

TEST_F(ClickHouseStoreTest, AShardThatIsDownLosesNothing) {
  const auto store = open();
  CellBatch batch;
  double sent = 0;
  const auto add = [&](Timestamp now) {
    for (std::uint8_t i = 0; i < 50; ++i) batch.add(series_at(now, i), 10, FlowTag::of(i), 1);
    sent += 50;
  };
  add(start);
  ASSERT_TRUE(store->write(write_of(batch, start)));
  batch.clear();
  for (const std::size_t down : {1u, 0u}) {
    shards_[down]->kill();
    // What could not be written stays in the batch, and more is added.
    for (int i = 1; i < 4; ++i) {
      add(start + i * 10s);
      const auto refused = store->write(write_of(batch, start + i * 10s));
      ASSERT_FALSE(refused);
      EXPECT_NE(refused.error().message.find("127.0.0.1:"), std::string::npos);
    }
    ASSERT_TRUE(shards_[down]->start());
    const auto done = store->write(write_of(batch, start + 1min));
    ASSERT_TRUE(done) << done.error().message;
    batch.clear();
    EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), sent);
  }
}

// The server did it, but its response was lost: the cells are sent a second time, with more.
TEST_F(ClickHouseStoreTest, ALostAnswerCountsNothingTwice) {
  const auto store = open();
  PointLedger ledger;
  ledger.point = "north";
  double sent = 0;
  Timestamp now = start;
  for (const char* lost : {"insert%20into%20cells", "insert%20into%20state"}) {
    CellBatch batch;
    const auto add = [&] {
      now += 1min;
      for (std::uint8_t i = 0; i < 50; ++i) batch.add(series_at(now, i), 10, FlowTag::of(i), 1);
      sent += 50;
      ledger.accounts[Account::joined] = ledger.accounts[Account::received] =
          static_cast<std::uint64_t>(sent);
    };
    for (int i = 0; i < 3; ++i) {
      add();
      between_->swallow(lost, 1);
      EXPECT_FALSE(store->write(write_of(batch, now, {&ledger, 1})));
      EXPECT_EQ(between_->left(), 0);
    }
    add();
    ASSERT_TRUE(store->write(write_of(batch, now, {&ledger, 1})));
    EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), sent) << lost;
    EXPECT_EQ((*store->ledgers())[0][Account::joined], static_cast<std::uint64_t>(sent));
  }
  // ... nor when it has grown old and was merged.
  CellBatch none;
  ASSERT_TRUE(store->write(write_of(none, start + 7h)));
  EXPECT_GT(rows_on(0, "tier = 2"), 0u);
  EXPECT_EQ(weight_in(*store, slice_of(start, 6h), start + 1h), sent);
}

// Sent under a number that was never declared valid: a collector was killed in between.
TEST_F(ClickHouseStoreTest, AWriteThatWasNotFinishedDoesNotCount) {
  CellBatch batch;
  batch.add(series_at(start), 10, FlowTag::of(1), 1);
  {
    const auto store = open();
    ASSERT_TRUE(store->write(write_of(batch, start)));
    shards_[0]->kill();
  }
  ASSERT_TRUE(shards_[0]->start());
  {
    const auto store = open();
    between_->swallow("insert%20into%20state", 0);
    clickhouse::Address address;
    address.database = "net";
    const clickhouse::Server server{{"127.0.0.1", shards_[1]->port()}, address};
    ASSERT_TRUE(
        server.run("insert into cells select 0, 'north:south', 4096, 1700000000, address, "
                   "24, 0, 10, 5, 5, 1, 77, 1, 0 from (select unhex("
                   "'00000000000000000000ffff0a000000') as address)"));
    EXPECT_EQ(weight_in(*store, start - 1h, start + 1h), 1);
  }
}

TEST_F(ClickHouseStoreTest, TwoCollectorsAddUp) {
  const auto one = open(), other = open();
  double sent = 0;
  for (int i = 0; i < 15; ++i) {
    CellBatch batch;
    const Timestamp now = start + i * 14min;
    batch.add(series_at(now - (i % 5 == 0 ? 20min : 0min)), 10, FlowTag::of(1), 1);
    sent += 1;
    ASSERT_TRUE((i % 3 == 0 ? one : other)->write(write_of(batch, now)));
  }
  for (const Tier& tier : default_tiers)
    EXPECT_EQ(weight_in(*one, slice_of(start - 1h, 6h), start + 24h, tier.slice), sent);
}

// Each collector has received one of the points, and one point was received by both: only the
// cluster has both ends.
TEST_F(ClickHouseStoreTest, JoinsPacketsOfSeveralCollectors) {
  std::vector<std::int64_t> delays = {0, 1, 127, 128, 129, 9'999'999'999};
  for (int bits = 8; bits <= 33; ++bits)
    for (const std::int64_t near : {-1, 0, 1}) delays.push_back((std::int64_t{1} << bits) + near);
  for (const std::int64_t negative : {-1, -2, -128, -129, -256, -1'000'000})
    delays.push_back(negative);
  const std::vector<std::string> points = {"north", "south"};
  std::array<std::vector<RawPacket>, 2> packets;
  for (std::uint32_t i = 0; i < delays.size(); ++i) {
    RawPacket packet;
    packet.instance = 5;
    packet.report = 1 + i / 10;
    packet.position = i % 10;
    packet.label = 1'000 + i;
    packet.flow = i / 3 * 0x123456789abcdefu;
    packet.time = start + i * 300ms;
    packet.packets = 1 + i % 4;
    packet.prefix = *IpAddress::parse("10.0.0.0");
    packet.prefix_length = 24;
    packets[0].push_back(packet);
    packet.point = 1;
    packet.time += Duration{delays[i]};
    packets[1].push_back(packet);
    // The same label in another flow, or with another secret, is another packet.
    packet.flow ^= 1;
    packets[1].push_back(packet);
    packet.flow ^= 1;
    packet.selection = 9;
    packets[1].push_back(packet);
  }
  CellBatch none;
  const auto one = open(), other = open();
  StoreWrite write{start, start, points, none.blocks(), {}, {}, packets[0]};
  ASSERT_TRUE(one->write(write));
  write.packets = packets[1];
  ASSERT_TRUE(other->write(write));
  between_->swallow("insert%20into%20packets", 1);
  EXPECT_FALSE(one->write(write));
  ASSERT_TRUE(one->write(write));

  const auto join = open_store_for_joining(name_);
  ASSERT_TRUE(join) << join.error().message;
  const auto found = (*join)->subjects();
  ASSERT_TRUE(found && found->size() == 1);
  EXPECT_EQ(found->front().name, "north:south");
  std::map<std::int32_t, double> expected, read;
  for (std::uint32_t i = 0; i < delays.size(); ++i)
    expected[LogBuckets::index_of(delays[i])] += i % 4 == 0 ? 1 : (1 + i % 4) / 2.0;
  const auto done =
      (*join)->read({"north:south", number_of(Measure::oneway), start - 1h, start + 1h},
                    [&](const CellSeries& series, Duration, const CellBlock& block) {
                      EXPECT_EQ(series.prefix, packets[0][0].prefix);
                      EXPECT_EQ(series.prefix_length, 24);
                      for (const HistogramCell& cell : block.cells) read[cell.bin] += cell.weight;
                    });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read, expected);
}

/// South's clock is a second ahead: by sign alone everything would be in the direction of south.
/// `clock` is what the collector found, of names[2] or names[3].
void test_joining_by_clock(const std::string& store, const SegmentClock& clock) {
  const std::vector<std::string> names = {"north", "south", "north:south", "south:north"};
  std::vector<RawPacket> packets;
  for (std::uint32_t i = 0; i < 40; ++i) {
    RawPacket packet;
    packet.instance = packet.report = 1;
    packet.position = i;
    packet.label = 1;
    packet.packets = 1;
    packet.flow = i;
    packet.time = start + i * 100ms;
    packets.push_back(packet);
    packet.point = 1;
    packet.time += 1s + (i % 4 == 0 ? -7ms : 5ms);
    packets.push_back(packet);
  }
  CellBatch none;
  const auto collector = open_store(store);
  ASSERT_TRUE(collector) << collector.error().message;
  ASSERT_TRUE((*collector)->write({start, start, names, none.blocks(), {}, {&clock, 1}, packets}));
  const auto join = open_store_for_joining(store);
  ASSERT_TRUE(join) << join.error().message;
  const auto weight_of = [&](const char* name, Duration delay) {
    double weight = 0;
    const auto done = (*join)->read({name, number_of(Measure::oneway), start - 1min, start + 1min},
                                    [&](const CellSeries&, Duration, const CellBlock& block) {
                                      for (const HistogramCell& cell : block.cells)
                                        if (cell.bin == LogBuckets::index_of(to_ns(delay)))
                                          weight += cell.weight;
                                    });
    EXPECT_TRUE(done) << done.error().message;
    return weight;
  };
  EXPECT_EQ(weight_of("north:south", 1005ms), 30);
  EXPECT_EQ(weight_of("north:south", 993ms), 0);
  EXPECT_EQ(weight_of("south:north", -993ms), 10);
}

TEST_F(ClickHouseStoreTest, JoinsBothDirectionsByTheOffsetOfTheClocks) {
  test_joining_by_clock(name_, {2, start, std::nullopt, 993'000'000, 1'005'000'000});
}

// Only the clocks of the way back were compared: the same offset with the other sign.
TEST_F(ClickHouseStoreTest, JoinsBothDirectionsByTheOffsetOfTheWayBack) {
  test_joining_by_clock(name_, {3, start, std::nullopt, -1'005'000'000, -993'000'000});
}

TEST_F(ClickHouseStoreTest, OldSlicesLeaveTheirTierAndStayInLongerOnes) {
  const auto store = open();
  for (const Duration age : {Duration{0h}, Duration{24h}, Duration{24h * 3}, Duration{24h * 20}}) {
    CellBatch batch;
    batch.add(series_at(start + age), 100, FlowTag::of(1), 1);
    ASSERT_TRUE(store->write(write_of(batch, start + age)));
  }
  EXPECT_EQ(weight_in(*store, slice_of(start, 6h), start + 24h * 21), 4);
  EXPECT_EQ(rows_on(0, "tier = 0") + rows_on(1, "tier = 0"), 1u);
  EXPECT_EQ(rows_on(0, "tier = 3") + rows_on(1, "tier = 3"), 3u);
}

// A point with a wrong clock reports a thousand years.
TEST_F(ClickHouseStoreTest, AnyTimeIsTaken) {
  const auto store = open();
  CellBatch batch;
  for (int i = 0; i < 52; ++i)
    batch.add(series_at(timestamp_from_ns(std::int64_t{i - 26} * 300'000'000'000'000'000)), 10,
              FlowTag::of(1), 1);
  const auto done = store->write(write_of(batch, start));
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(weight_in(*store, Timestamp::min() + 24h, Timestamp::max() - 24h), 52);
}

TEST_F(ClickHouseStoreTest, ShardsThatAreLeftOutAndStoresThatAreNotThereAreTold) {
  open();
  const auto fewer = open_store(fmt::format("clickhouse://127.0.0.1:{}/net", between_->port()));
  ASSERT_FALSE(fewer);
  EXPECT_NE(fewer.error().message.find("2 shards"), std::string::npos) << fewer.error().message;
  const auto absent =
      open_store_for_reading(fmt::format("clickhouse://127.0.0.1:{}/no", between_->port()));
  ASSERT_FALSE(absent);
}

TEST_F(ClickHouseStoreTest, MarksThatComeTwiceAreThereOnce) {
  const auto store = open();
  PointMarks marks{.point = "north",
                   .instance = 7,
                   .run = {.duty = "observe", .method = "step", .carrier = "dscp:1,0"},
                   .counts = {}};
  marks.run.exponent = -2;
  marks.run.since = start;
  for (std::int64_t i = 0; i < 10; ++i)
    for (const char* flow : {"", "any"}) {
      MarkCount count;
      count.interval = i;
      count.start = start + i * 250ms;
      count.read_at = start + i * 300ms;
      count.flow = flow;
      count.packets = 100 + static_cast<std::uint64_t>(i);
      count.pulses = 1;
      count.pulse_time = count.start + 1ns;
      count.late = 2us;
      count.early = 3us;
      count.middle = 4;
      count.contrary = 5;
      count.other = 6;
      count.marked_before = 7;
      count.repeats = 8;
      marks.counts.push_back(count);
    }
  // Read once more after a clock was set back: the one in doubt counts.
  PointMarks again = marks;
  again.counts[4].doubt = "not-recorded";
  again.counts[4].read_at -= 10s;
  CellBatch none;
  for (const PointMarks& each : {marks, again, marks}) {
    StoreWrite write = write_of(none, start + 60s);
    write.marks = {&each, 1};
    const auto written = store->write(write);
    ASSERT_TRUE(written) << written.error().message;
  }
  const auto found = store->marks("north", start, start + 60s);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].run, marks.run);
  EXPECT_EQ((*found)[0].counts, again.counts);
  const auto some = store->marks("north", start + 500ms, start + 1s);
  ASSERT_TRUE(some && some->size() == 1);
  EXPECT_EQ((*some)[0].counts.size(), 4u);
  EXPECT_TRUE(store->marks("south", start, start + 60s)->empty());
}

TEST_F(ClickHouseStoreTest, ReferencesThatComeTwiceOrInPartsAreThereOnce) {
  const auto store = open();
  test_references_are_there_once(*store, start);
}

// A server of which only the answer about the newest slice matters.
TEST(ClickHouseAnswer, AboutTheNewestSliceIsAnErrorIfItIsCut) {
  clickhouse::RowWriter newest;
  newest.number<std::uint64_t>(3).number<std::int64_t>(1'700'000'000);
  std::size_t cut = 0;
  const CannedServer server{[&](std::string_view, std::string_view body) {
    if (body.starts_with("exists table ")) return std::string{"\1"};
    if (!body.contains("max(slice)")) return std::string{};
    return newest.bytes().substr(0, newest.bytes().size() - cut);
  }};
  const auto store =
      open_store_for_reading(fmt::format("clickhouse://127.0.0.1:{}/net", server.port()));
  ASSERT_TRUE(store) << store.error().message;
  const auto found = (*store)->newest("north:south");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(*found, start + finest_slice);
  for (cut = 1; cut <= newest.bytes().size(); ++cut)
    EXPECT_FALSE((*store)->newest("north:south")) << cut;
}

}  // namespace
}  // namespace sojourn
