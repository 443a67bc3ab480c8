#include "naming/name_table.h"

#include <gtest/gtest.h>

#include <string>

#include "naming/dns_words.h"

namespace sojourn {
namespace {

TEST(NameTable, GivesEachTextANumberOfItsOwn) {
  NameTable table;
  const std::uint32_t eth0 = table.number_of("eth0"), eth1 = table.number_of("eth1");
  EXPECT_NE(eth0, eth1);
  EXPECT_NE(eth0, NameTable::none);
  EXPECT_EQ(table.number_of("eth0"), eth0);
  EXPECT_EQ(table.text_of(eth0), "eth0");
  EXPECT_EQ(table.text_of(eth1), "eth1");
  EXPECT_EQ(table.text_of(NameTable::none), "");
}

TEST(NameTable, IsBoundedInNumberAndLength) {
  NameTable table{2};
  const std::uint32_t first = table.number_of("a");
  table.number_of("b");
  const std::uint32_t third = table.number_of("c"), fourth = table.number_of("d");
  EXPECT_EQ(third, 3u);
  EXPECT_EQ(fourth, third) << "all without room together";
  EXPECT_EQ(table.text_of(third), "others");
  EXPECT_EQ(table.without_room(), 2u);
  EXPECT_EQ(table.size(), 2u);
  EXPECT_EQ(table.number_of("a"), first);

  NameTable names;
  const std::uint32_t number = names.number_of(std::string(100'000, 'x'));
  EXPECT_EQ(names.number_of(std::string(255, 'x')), number) << "not kept whole";
  EXPECT_LE(names.text_of(number).size(), 80u);
}

TEST(NameTable, ShowsNothingThatATerminalObeys) {
  NameTable table;
  EXPECT_EQ(table.text_of(table.number_of("\x1b[31mred\n")), "\\x1b[31mred\\x0a");
}

TEST(DnsWords, AreThoseOfDig) {
  EXPECT_EQ(dns_type_name(1), "A");
  EXPECT_EQ(dns_type_name(65), "HTTPS");
  EXPECT_EQ(dns_type_name(65'280), "TYPE65280");
  EXPECT_EQ(dns_code_name(0), "NOERROR");
  EXPECT_EQ(dns_code_name(5), "REFUSED");
  EXPECT_EQ(dns_code_name(15), "RCODE15");
}

}  // namespace
}  // namespace sojourn
