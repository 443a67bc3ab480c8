#include "export/json_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(JsonValues, ACellIsANumberATextOrNull) {
  EXPECT_EQ(cell_value(Cell{12}).dump(), "12");
  EXPECT_EQ(cell_value(Cell{"12"}).dump(), "\"12\"");
  EXPECT_EQ(cell_value(Cell{}).dump(), "null");
  EXPECT_EQ(cell_value(Cell::decimals(0.25, 1)).dump(), "0.25");
  EXPECT_EQ(cell_value(Cell::decimals(3, 2)).dump(), "3");
  EXPECT_EQ(cell_value(Cell{std::uint64_t{18'446'744'073'709'551'615u}}).dump(),
            "18446744073709551615");
  EXPECT_EQ(cell_value(Cell::beside_paper(0.5, 0.25, 2)).dump(), R"({"ours":0.5,"paper":0.25})");
}

TEST(JsonValues, WhatIsNotKnownOrNotFiniteIsNull) {
  EXPECT_TRUE(number_or_null(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(number_or_null(1e300).dump(), "1e+300");
  EXPECT_TRUE(ns_or_null(std::optional<Duration>{}).is_null());
  EXPECT_EQ(ns_or_null(std::optional<Duration>{-3us}).dump(), "-3000");
  EXPECT_EQ(or_null(std::optional<int>{4}).dump(), "4");
}

TEST(JsonValues, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(document_text({{"file", "a\xff"}}), "{\n  \"file\": \"a\xef\xbf\xbd\"\n}\n");
}

}  // namespace
}  // namespace sojourn
