#include "export/csv_field.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(CsvField, LeavesOrdinaryTextAlone) {
  for (const char* text : {"", "north:south", "a b", "a;b", "10.0.0.0/24", "größe"})
    EXPECT_EQ(csv_field(text), text);
}

TEST(CsvField, IsQuotedWhereRfc4180WantsIt) {
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field("\""), "\"\"\"\"");
}

TEST(CsvField, IsOneLineThatATerminalDoesNotObey) {
  EXPECT_EQ(csv_field("a,b\"c\n\x1b[31m"), "\"a,b\"\"c\\x0a\\x1b[31m\"");
  EXPECT_EQ(csv_field("a\r\nb"), "a\\x0d\\x0ab");
  const std::string segment(1'000, 'n');
  EXPECT_EQ(csv_field(segment), segment) << "never shortened";
}

}  // namespace
}  // namespace sojourn
