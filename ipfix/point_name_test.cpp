#include "ipfix/point_name.h"

#include <gtest/gtest.h>

#include <string>

namespace sojourn::ipfix {
namespace {

TEST(PointName, IsPrintableInOneWord) {
  for (const char* name : {"n", "north", "eth0.7", "düsseldorf-2", "a\\b\"c", "日本"})
    EXPECT_TRUE(is_point_name(name)) << name;
  EXPECT_TRUE(is_point_name(std::string(255, 'n')));
  EXPECT_FALSE(is_point_name(std::string(256, 'n')));
  EXPECT_FALSE(is_point_name(""));
}

TEST(PointName, HasNothingThatATerminalObeysOrThatDividesNames) {
  for (const char* name : {"a,b\"c\n\x1b[31m", "a\n", "\x1b[31m", "a\tb", "a\x7f", "a b", "a,b",
                           "north:south", "caf\xe9",
                           "\xe2\x80\xae"
                           "a"})
    EXPECT_FALSE(is_point_name(name)) << name;
  EXPECT_FALSE(is_point_name(std::string{"a\0b", 3}));
}

}  // namespace
}  // namespace sojourn::ipfix
