#ifdef SOJOURN_WITH_SQLITE
#include "store/sqlite/references.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp since = timestamp_from_ns(1'700'000'000'000'000'000);

/// No two numbers of a row are equal: none may take the place of another.
ReferenceFlow flow_between(const char* source, const char* destination, std::uint16_t port) {
  return {.key = {*IpAddress::parse(source), *IpAddress::parse(destination), port, 53, 17},
          .packets = 20,
          .estimated = 12,
          .left_only = 9,
          .mean_ns = -1'234.5,
          .deviation_ns = 0.25};
}

PointReferences north_with(std::vector<ReferenceInterval> intervals) {
  return {.point = "north",
          .instance = 7,
          .run = {.since = since, .every = 1s, .clock_error = 3us},
          .intervals = std::move(intervals)};
}

class SqliteReferencesTest : public testing::Test {
 protected:
  SqliteReferencesTest() {
    EXPECT_TRUE(database_) << database_.error().message;
    const auto prepared = references_.prepare();
    EXPECT_TRUE(prepared) << prepared.error().message;
  }

  void write(const PointReferences& references) {
    const auto written = references_.write({&references, 1});
    ASSERT_TRUE(written) << written.error().message;
  }
  std::vector<ReferenceInterval> read(Timestamp from, Timestamp to) {
    std::vector<ReferenceInterval> all;
    const auto done = references_.read(
        {"north", from, to}, [&](const PointReferences& of, const ReferenceInterval& interval) {
          EXPECT_EQ(of.instance, 7u);
          EXPECT_EQ(of.run, north_with({}).run);
          all.push_back(interval);
        });
    EXPECT_TRUE(done) << done.error().message;
    return all;
  }

  Result<SqliteDatabase> database_ =
      SqliteDatabase::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  SqliteReferences references_{*database_};
};

// Two flows may differ by a single address or port.  They lie in the order of their keys.
TEST_F(SqliteReferencesTest, AreReadAsTheyWereWritten) {
  const PointReferences written = north_with({
      {.begin = since,
       .end = since + 1s,
       .flows = {flow_between("192.0.2.1", "198.51.100.2", 1'000),
                 flow_between("192.0.2.1", "198.51.100.3", 1'000),
                 flow_between("192.0.2.1", "198.51.100.2", 1'001),
                 flow_between("192.0.2.4", "198.51.100.2", 1'000),
                 flow_between("2001:db8::1", "2001:db8:1::2", 1'000)},
       .seen = ReferenceSeen{.references = 100,
                             .lost = 1,
                             .reordered = 2,
                             .of_others = 3,
                             .off = 4,
                             .before_first = 5,
                             .after_last = 6,
                             .no_room = 7,
                             .unread = 8}},
      {.begin = since + 1s,
       .end = since + 2s,
       .flows = {flow_between("192.0.2.1", "198.51.100.2", 1'000)},
       .seen = {}},
  });
  write(written);
  write(written);  // once more changes nothing
  EXPECT_EQ(read(since, since + 2s), written.intervals);
  EXPECT_EQ(read(since + 1s, since + 2s), std::vector{written.intervals[1]});
}

TEST_F(SqliteReferencesTest, OldOnesAreDropped) {
  const ReferenceInterval old{.begin = since,
                              .end = since + 1s,
                              .flows = {flow_between("192.0.2.1", "198.51.100.2", 1'000)},
                              .seen = ReferenceSeen{.references = 1}},
      fresh{.begin = since + 1s, .end = since + 2s, .flows = old.flows, .seen = old.seen};
  write(north_with({old, fresh}));
  ASSERT_TRUE(references_.drop_old(since + 1s));
  EXPECT_EQ(read(since, since + 2s), std::vector{fresh});
  ASSERT_TRUE(references_.drop_old(since + 2s));
  EXPECT_EQ(*database_->number("select count(*) from reference_runs"), 0);
}

}  // namespace
}  // namespace sojourn

#endif  // SOJOURN_WITH_SQLITE
