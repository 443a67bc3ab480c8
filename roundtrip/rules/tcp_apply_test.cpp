// The bits that responses copy from their connection.

#include "roundtrip/rules/tcp_apply.h"

#include <gtest/gtest.h>

#include <bit>

namespace sojourn {
namespace {

/// (clang 19 cannot determine the position of bit-fields at compile time.)
TEST(TcpApply, FlagsOfAnAnswerLieWhereTheConnectionHasThem) {
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, true, false, false, false, false, 0}),
            requester_is_server);
  EXPECT_EQ(std::bit_cast<std::uint8_t>(TcpEnds{false, false, true, false, false, false, 0}),
            leg_is_guessed);
}

}  // namespace
}  // namespace sojourn
