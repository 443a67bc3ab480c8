#include "web/live_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn::web {
namespace {

/// What can be read in pieces of 64 KiB; `ended` says whether the stream is over after it.
std::size_t take_all(LiveStream& stream, bool& ended) {
  std::vector<char> room(std::size_t{64} << 10);
  std::size_t sum = 0;
  while (true) {
    bool asleep = false;
    const auto taken = stream.take(room.data(), room.size(), [&] { asleep = true; });
    if (asleep) {
      EXPECT_EQ(taken, 0) << "bytes that are not there";
    }
    ended = taken < 0;
    if (ended || asleep) return sum;
    sum += static_cast<std::size_t>(taken);
  }
}

TEST(LiveStream, WhoeverDoesNotReadIsLetGoWithAMebibyteWaiting) {
  LiveStream stream{*QueryString::parse("")};
  const std::string event(10'000, 'x');
  for (int i = 0; i < 1000; ++i) stream.give(event, [] {});
  bool ended = false;
  const std::size_t waited = take_all(stream, ended);
  EXPECT_TRUE(ended);
  EXPECT_LE(waited, LiveStream::most_waiting);
  EXPECT_GT(waited, LiveStream::most_waiting - event.size());
  EXPECT_EQ(waited % event.size(), 0u) << "no event is cut";
}

TEST(LiveStream, WhoeverReadsMissesNothing) {
  LiveStream stream{*QueryString::parse("")};
  const std::string event(10'000, 'x');
  std::size_t taken = 0;
  bool ended = false;
  for (int i = 0; i < 1000; ++i) {
    stream.give(event, [] {});
    if (i % 50 == 49) taken += take_all(stream, ended);
    EXPECT_FALSE(ended);
  }
  EXPECT_EQ(taken, 1000 * event.size());
}

TEST(LiveStream, ASleeperIsWokenOnceAndNobodyAfterTheEnd) {
  LiveStream stream{*QueryString::parse("")};
  bool ended = false;
  int woken = 0;
  take_all(stream, ended);  // asleep now
  stream.give("a", [&] { ++woken; });
  stream.give("b", [&] { ++woken; });
  EXPECT_EQ(woken, 1);
  take_all(stream, ended);
  stream.close();
  stream.give("c", [&] { ++woken; });
  stream.end([&] { ++woken; });
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace sojourn::web
