#include "naming/group_choice.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(GroupChoice, NamesAndLengthsAreDifferentNumbers) {
  EXPECT_EQ(GroupChoice::named("host"), 64u);
  EXPECT_EQ(GroupChoice::named("port"), 65u);
  EXPECT_EQ(GroupChoice::named("flow"), 66u);
  EXPECT_EQ(GroupChoice::prefixes("1"), 1u);
  EXPECT_EQ(GroupChoice::prefixes("32"), 32u);
  for (const char* const wrong : {"", "24", "prefix", "Host", "hosts"})
    EXPECT_FALSE(GroupChoice::named(wrong)) << wrong;
  for (const char* const wrong : {"", "0", "33", "64", "host", "/24", "2 4"})
    EXPECT_FALSE(GroupChoice::prefixes(wrong)) << wrong;
}

}  // namespace
}  // namespace sojourn
