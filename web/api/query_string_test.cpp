#include "web/api/query_string.h"

#include <gtest/gtest.h>

namespace sojourn::web {
namespace {

TEST(QueryString, DecodesNamesAndValues) {
  const auto query = QueryString::parse("subject=north%3Asouth&kind=tcp&empty=&word+s=a+b");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->find("subject"), "north:south");
  EXPECT_EQ(query->find("empty"), "");
  EXPECT_EQ(query->find("word s"), "a b");
  EXPECT_EQ(query->find("nothing"), std::nullopt);
}

TEST(QueryString, RefusesWhatIsBroken) {
  for (const char* text : {"a=%", "a=%2", "a=%zz", "%=1", "a=1&a=2", "a=%00", "a=%0a", "%1f=1"})
    EXPECT_FALSE(QueryString::parse(text)) << text;
  std::string many;
  for (int i = 0; i < 33; ++i) many += "p" + std::to_string(i) + "=1&";
  EXPECT_FALSE(QueryString::parse(many));
}

TEST(QueryString, NamesStrangers) {
  const auto query = QueryString::parse("kind=tcp&colour=red");
  EXPECT_EQ(query->stranger({"kind"}), "colour");
  EXPECT_EQ(query->stranger({"kind", "colour"}), std::nullopt);
}

// Otherwise a question could get the answer to another one.
TEST(QueryString, DifferentQuestionsHaveDifferentTexts) {
  const auto text = [](const char* query) { return QueryString::parse(query)->canonical(); };
  EXPECT_EQ(text("a=1&b=2"), text("b=2&a=1"));
  EXPECT_NE(text("a=1&b=2"), text("a=1%26b=2"));
  EXPECT_NE(text("a=1b&c=2"), text("a=1&bc=2"));
}

}  // namespace
}  // namespace sojourn::web
