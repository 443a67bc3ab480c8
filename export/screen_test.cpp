#include "export/screen.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(Screen, ShowsAllThatFits) { EXPECT_EQ(fitted("one\ntwo\n", {2, 3}), "one\ntwo"); }

TEST(Screen, OfUnknownSizeIsThatOfATerminal) {
  const std::string line(79, 'x');
  EXPECT_EQ(fitted(line + "\n", {}), line);
}

TEST(Screen, CutsLinesThatAreTooLong) {
  EXPECT_EQ(fitted("12345678\n1234\n", {4, 5}), "12345\n1234");
  EXPECT_EQ(fitted("±±±±\n", {4, 3}), "±±±");
}

TEST(Screen, SaysHowManyLinesAreMissing) {
  EXPECT_EQ(fitted("a\nb\nc\nd\n", {3, 80}), "a\nb\n(2 more lines: in the report at the end)");
  EXPECT_EQ(fitted("a\nb\nc\nd\n", {3, 7}), "a\nb\n(2 more");
}

TEST(Screen, ColoursTakeNoRoomAndEndWhereTheyShould) {
  EXPECT_EQ(fitted("\033[1mabcdef\033[0mgh\n", {4, 3}), "\033[1mabc\033[0m");
}

}  // namespace
}  // namespace sojourn
