// What answers take over from their connection bit by bit.

#include "roundtrip/rules/tcp_apply.h"

#include <gtest/gtest.h>

#include <bit>

namespace sojourn {
namespace {

/// (clang 19 cannot tell at compile time where bit-fields lie.)
TEST(TcpApply, FlagsOfAnAnswerLieWhereTheConnectionHasThem) {
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, true, false, false, false, false, 0}),
            requester_is_server);
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, false, true, false, false, false, 0}),
            leg_is_guessed);
}

}  // namespace
}  // namespace sojourn
