#include "store/clickhouse/references.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "store/clickhouse/test_canned_server.h"

namespace sojourn::clickhouse {
namespace {

PointReferences two_seconds_of_references() {
  using namespace std::chrono_literals;
  const Timestamp since = timestamp_from_ns(1'700'000'000'000'000'000);
  PointReferences references{.point = "north",
                             .instance = 7,
                             .run = {.since = since, .every = 1s, .clock_error = 3us},
                             .intervals = {}};
  for (const unsigned i : {0u, 1u}) {
    const FlowKey key{*IpAddress::parse("192.0.2.1"), *IpAddress::parse("2001:db8::2"),
                      static_cast<std::uint16_t>(1'000 + i), 53, 17};
    // No two numbers of a row are equal: none may take the place of another.
    references.intervals.push_back({.begin = since + i * 1s,
                                    .end = since + (i + 1) * 1s,
                                    .flows = {{.key = key,
                                               .packets = 20 + i,
                                               .estimated = 12 + i,
                                               .left_only = 9,
                                               .mean_ns = -1'234.5,
                                               .deviation_ns = 0.25}},
                                    .seen = ReferenceSeen{.references = 100 + i,
                                                          .lost = 1,
                                                          .reordered = 2,
                                                          .of_others = 3,
                                                          .off = 4,
                                                          .before_first = 5,
                                                          .after_last = 6,
                                                          .no_room = 7,
                                                          .unread = 8}});
  }
  return references;
}

/// Keeps the rows of each table, and gives them back as they came.
class KeptRows {
 public:
  std::string respond(std::string_view target, std::string_view body) {
    if (body.starts_with("exists table ")) return "\1";
    for (const std::string table : {"reference_intervals", "reference_flows"}) {
      if (target.contains("insert%20into%20" + table + "%20"))
        rows[table] += body;
      else if (body.contains(" from " + table + " "))
        return rows[table];
    }
    return {};
  }
  std::map<std::string, std::string> rows;
};

struct ReferencesInTables {
  KeptRows kept;
  CannedServer canned{[this](std::string_view target, std::string_view body) {
    return kept.respond(target, body);
  }};
  Server server{{"127.0.0.1", canned.port()}, {.shards = {}, .database = "net", .user = {}}};
};

TEST(ClickHouseReferences, AreReadAsTheyWereSent) {
  const PointReferences sent = two_seconds_of_references();
  ReferencesInTables tables;
  const auto written = send_references(tables.server, {&sent, 1});
  ASSERT_TRUE(written) << written.error().message;
  std::vector<ReferenceInterval> read;
  const auto done =
      read_references(tables.server, {"", sent.run.since, Timestamp::max()},
                      [&](const PointReferences& of, const ReferenceInterval& interval) {
                        EXPECT_EQ(of.point, "north");
                        EXPECT_EQ(of.instance, 7u);
                        EXPECT_EQ(of.run, sent.run);
                        read.push_back(interval);
                      });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read, sent.intervals);
}

TEST(ClickHouseReferences, RowsThatAreCutAreAnError) {
  const PointReferences sent = two_seconds_of_references();
  for (const char* table : {"reference_intervals", "reference_flows"}) {
    ReferencesInTables tables;
    ASSERT_TRUE(send_references(tables.server, {&sent, 1}));
    ASSERT_FALSE(tables.kept.rows[table].empty());
    tables.kept.rows[table].pop_back();
    EXPECT_FALSE(read_references(tables.server, {"", sent.run.since, Timestamp::max()},
                                 [](const PointReferences&, const ReferenceInterval&) {}))
        << table;
  }
}

}  // namespace
}  // namespace sojourn::clickhouse
