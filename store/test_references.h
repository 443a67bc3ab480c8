#pragma once
// Delays by reference packets as a collector would store them, for the tests of every store.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "store/store.h"

namespace sojourn {

/// `intervals` of a second, each with a flow over IPv4 and one over IPv6.
inline PointReferences references_of(const std::string& point, std::uint64_t instance,
                                     Timestamp since, int intervals) {
  using namespace std::chrono_literals;
  PointReferences references{.point = point,
                             .instance = instance,
                             .run = {.since = since, .every = 1s, .clock_error = 3us},
                             .intervals = {}};
  for (int i = 0; i < intervals; ++i) {
    ReferenceInterval& interval = references.intervals.emplace_back();
    interval.begin = since + i * 1s;
    interval.end = interval.begin + 1s;
    const auto number = static_cast<std::uint64_t>(i);
    interval.seen = ReferenceSeen{.references = 100 + number,
                                  .lost = 1,
                                  .reordered = 2,
                                  .of_others = 3,
                                  .off = 4,
                                  .before_first = 5,
                                  .after_last = 6,
                                  .no_room = 7,
                                  .unread = 8};
    interval.flows = {
        {.key = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"), 1000, 53, 17},
         .packets = 10 + number,
         .estimated = 9,
         .left_only = 1,
         .mean_ns = -1'234.5,
         .deviation_ns = 0.25},
        {.key = {*IpAddress::parse("2001:db8::1"), *IpAddress::parse("2001:db8:1::2"), 0, 0, 58},
         .packets = 1,
         .estimated = 0,
         .left_only = 0,
         .mean_ns = 0,
         .deviation_ns = 0}};
  }
  return references;
}

/// What it writes must live until then.
inline StoreWrite write_of_references(const std::vector<PointReferences>& references,
                                      Timestamp now) {
  return {now, now, {}, {}, {}, {}, {}, {}, references};
}

inline std::vector<PointReferences> all_references(Store& store,
                                                   const ReferenceQuestion& question) {
  std::vector<PointReferences> all;
  const auto done =
      store.references(question, [&](const PointReferences& of, const ReferenceInterval& interval) {
        if (all.empty() || all.back().instance != of.instance || all.back().point != of.point)
          all.push_back(of);
        all.back().intervals.push_back(interval);
      });
  EXPECT_TRUE(done) << done.error().message;
  return all;
}

/// The same however often and in whatever parts it came; points and times are told apart.
inline void test_references_are_there_once(Store& store, Timestamp start) {
  using namespace std::chrono_literals;
  const PointReferences north = references_of("north", 7, start, 4),
                        again = references_of("north", 8, start + 60s, 2),
                        south = references_of("south", 7, start, 1);
  PointReferences flows = north, totals = north;
  for (ReferenceInterval& interval : flows.intervals) interval.seen.reset();
  for (ReferenceInterval& interval : totals.intervals) interval.flows.clear();
  // One interval's own record is lost on the way, and so are the flows of another.
  flows.intervals.erase(flows.intervals.begin() + 2);
  totals.intervals.erase(totals.intervals.begin() + 1);
  for (const std::vector<PointReferences>& each :
       {std::vector{flows}, {south, totals}, {again, flows}, {totals}}) {
    const auto written = store.write(write_of_references(each, start + 120s));
    ASSERT_TRUE(written) << written.error().message;
  }
  const auto all = all_references(store, {"", start, start + 120s});
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].point, "north");
  EXPECT_EQ(all[0].run, north.run);
  ASSERT_EQ(all[0].intervals.size(), 4u);
  EXPECT_EQ(all[0].intervals[0], north.intervals[0]);
  EXPECT_EQ(all[0].intervals[1], flows.intervals[1]);
  EXPECT_EQ(all[0].intervals[2], totals.intervals[1]);
  EXPECT_EQ(all[0].intervals[3], north.intervals[3]);
  EXPECT_EQ(all[1].instance, 8u);
  EXPECT_EQ(all[1].intervals, again.intervals);
  EXPECT_EQ(all[2].point, "south");
  EXPECT_EQ(all[2].intervals, south.intervals);
  const auto some = all_references(store, {"north", start + 1s, start + 2s});
  ASSERT_EQ(some.size(), 1u);
  EXPECT_EQ(some[0].intervals.size(), 1u);
  EXPECT_TRUE(all_references(store, {"east", start, start + 120s}).empty());
}

}  // namespace sojourn
