#include "web/connections.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;
using State = Connections::State;

/// Two ends of a connection; the peer's end shows whether ours was shut down.
class Pair {
 public:
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  ~Pair() {
    for (const int end : ends_) close(end);
  }
  int ours() const { return ends_[0]; }
  bool is_ended() const {
    char byte = 0;
    return recv(ends_[1], &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  std::array<int, 2> ends_{};
};

// 20 s to ask, 60 s to read the reply, no limit for a live stream.
TEST(Connections, EndsWhatTakesTooLongByWhatItDoes) {
  const std::array<State, 3> states = {State::waiting, State::answering, State::streaming};
  std::array<Pair, 3> pairs;
  Connections connections;
  const auto began = Connections::Clock::now();
  for (std::size_t i = 0; i < states.size(); ++i)
    connections.now_in(connections.opened(pairs[i].ours()), states[i]);
  const auto ended = [&](Connections::Clock::duration after) {
    connections.end_slow(began + after, 20s, 60s);
    return std::array{pairs[0].is_ended(), pairs[1].is_ended(), pairs[2].is_ended()};
  };
  EXPECT_EQ(ended(19s), (std::array{false, false, false}));
  EXPECT_EQ(ended(25s), (std::array{true, false, false}));
  EXPECT_EQ(ended(59s), (std::array{true, false, false}));
  EXPECT_EQ(ended(65s), (std::array{true, true, false}));
  EXPECT_EQ(ended(24h), (std::array{true, true, false}));
}

TEST(Connections, AReplyThatMovesOnHasItsTimeAnew) {
  const Pair pair;
  Connections connections;
  auto* entry = connections.opened(pair.ours());
  const auto opened = Connections::Clock::now();
  std::this_thread::sleep_for(30ms);
  connections.now_in(entry, State::answering);
  connections.now_in(entry, State::waiting);
  EXPECT_EQ(connections.end_slow(opened + 20s + 10ms, 20s, 60s), 0u);
  EXPECT_EQ(connections.end_slow(Connections::Clock::now() + 10s, 20s, 60s), 0u);
  EXPECT_EQ(connections.size(), 1u);
  connections.closed(entry);
  EXPECT_EQ(connections.size(), 0u);
}

}  // namespace
}  // namespace sojourn::web
