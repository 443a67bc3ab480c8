#include "core/choose.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace sojourn {
namespace {

// At compile time there is no conditional move, so these two lines test the arithmetic.
static_assert(choose(1, std::uint64_t{7}, std::uint64_t{1} << 63) == 7);
static_assert(choose(0, std::uint64_t{7}, std::uint64_t{1} << 63) == std::uint64_t{1} << 63);

static_assert(choose_by_sign(1u << 31, 7u, 1u) == 7 && choose_by_sign(~0u >> 1, 7u, 1u) == 1);

template <class Integer>
class Choose : public testing::Test {};
using Widths = testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Choose, Widths);

TYPED_TEST(Choose, TakesTheFirstIfTheBitIsSet) {
  const auto all = static_cast<TypeParam>(~TypeParam{0});
  for (const TypeParam yes : {TypeParam{0}, TypeParam{5}, all})
    for (const TypeParam no : {TypeParam{0}, TypeParam{9}, all}) {
      EXPECT_EQ(choose(unpredictable(true), yes, no), yes);
      EXPECT_EQ(choose(unpredictable(false), yes, no), no);
    }
}

TYPED_TEST(Choose, TakesTheFirstIfTheHighestBitIsSet) {
  const TypeParam yes{5}, no{9};
  for (const SignBit rest : {0u, 1u, 0x7fffffffu}) {
    EXPECT_EQ(choose_by_sign(sign_bit(true) | rest, yes, no), yes);
    EXPECT_EQ(choose_by_sign(sign_bit(false) | rest, yes, no), no);
    EXPECT_TRUE(is_set(sign_bit(true) | rest));
    EXPECT_FALSE(is_set(sign_bit(false) | rest));
  }
}

TEST(Unpredictable, IsOneOrZero) {
  EXPECT_EQ(unpredictable(true), 1u);
  EXPECT_EQ(unpredictable(false), 0u);
}

}  // namespace
}  // namespace sojourn
