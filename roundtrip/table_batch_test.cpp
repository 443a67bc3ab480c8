#include "roundtrip/table_batch.h"

#include <gtest/gtest.h>

#include <map>

namespace sojourn {
namespace {

/// A map; admits as it is told.
struct MapTable {
  void prefetch(std::uint64_t) const {}
  Admission request(std::uint64_t key, Timestamp time, std::uint8_t) {
    if (admission <= Admission::stored_for_a_while) waiting[key] = time;
    return admission;
  }
  std::optional<Match> response(std::uint64_t key, Timestamp time) {
    const auto found = waiting.find(key);
    if (found == waiting.end()) return std::nullopt;
    Match match{.delay = difference(time, found->second)};
    if (admission == Admission::stored_for_a_while) match.for_a_while = true;
    waiting.erase(found);
    return match;
  }
  std::size_t memory_bytes() const { return 0; }

  Admission admission = Admission::stored;
  std::map<std::uint64_t, Timestamp> waiting;
};

PairEvent event(std::uint64_t key, std::int64_t ns, bool is_request) {
  return {key, timestamp_from_ns(ns), 0, {}, Kind::dns, Leg::server, is_request, 0};
}

TEST(TableBatch, WhatIsAnsweredWasNotLeftOut) {
  const std::vector<PairEvent> events = {event(1, 100, true), event(2, 200, true),
                                         event(1, 500, false), event(3, 600, false)};
  MapTable table;
  BatchOutcome out;
  apply_batch(table, events, out);
  EXPECT_EQ(out.requests(Kind::dns), 2u);
  ASSERT_EQ(out.matches().size(), 1u);
  EXPECT_EQ(out.matches()[0].event, &events[2]);
  EXPECT_EQ(out.matches()[0].match.delay, Duration{400});
  EXPECT_EQ(out.left_out(Kind::dns).total(), 0u);

  // One of two requests that wait for a while only is answered: the other may be given up.
  MapTable for_a_while{Admission::stored_for_a_while, {}};
  apply_batch(for_a_while, events, out);
  EXPECT_EQ(out.requests(Kind::dns), 2u);
  EXPECT_EQ(out.left_out(Kind::dns)[LeftOut::given_up], 1u);

  MapTable full{Admission::no_room, {}};
  apply_batch(full, events, out);
  EXPECT_EQ(out.left_out(Kind::dns)[LeftOut::no_room], 2u);
  EXPECT_TRUE(out.matches().empty());
}

TEST(TableBatch, NotesTheRequestsThatItCounts) {
  const std::vector<PairEvent> events = {event(1, 100, true), event(1, 200, false),
                                         event(2, 300, true)};
  MapTable table;
  BatchOutcome out;
  apply_noting(table, events, out);
  EXPECT_EQ(std::vector(out.counted().begin(), out.counted().end()),
            (std::vector<const PairEvent*>{&events[0], &events[2]}));
}

}  // namespace
}  // namespace sojourn
