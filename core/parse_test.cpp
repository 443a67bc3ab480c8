#include "core/parse.h"

#include <gtest/gtest.h>

#include "core/units.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

template <class T>
std::string complaint(const Result<T>& result) {
  return result ? "" : result.error().message;
}

TEST(ParseDuration, TakesAUnitAndRefusesABareNumber) {
  EXPECT_EQ(parse_duration("80us"), 80us);
  EXPECT_EQ(parse_duration("80µs"), 80us);
  EXPECT_EQ(parse_duration("1.5ms"), 1'500us);
  EXPECT_EQ(parse_duration("2 s"), 2s);
  EXPECT_EQ(parse_duration("5min"), 5min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(complaint(parse_duration("5")),
            "'5' is not a duration such as 80us, 500ms, 2s or 5min");
  for (const char* const wrong : {"", "s", "-1s", "1parsec", "1s2", "nan s", "1e30s"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(UnknownName, ListsTheNames) {
  constexpr std::string_view names[] = {"bob", "ipsx"};
  EXPECT_EQ(unknown_name("x", "label function", names).error().message,
            "'x' is not a label function; choose from bob, ipsx");
  EXPECT_EQ(unknown_name("x", "order", names).error().message,
            "'x' is not an order; choose from bob, ipsx");
}

TEST(ParseDuration, PositiveAndSigned) {
  EXPECT_EQ(parse_positive_duration("1ns"), 1ns);
  EXPECT_EQ(complaint(parse_positive_duration("0s")), "'0s' must be positive");
  EXPECT_FALSE(parse_positive_duration("x"));
  EXPECT_EQ(parse_signed_duration("-2s"), -2s);
  EXPECT_EQ(parse_signed_duration("2s"), 2s);
  EXPECT_FALSE(parse_signed_duration("--2s"));
}

TEST(ParseSize, InPowersOf1024And1000) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("64KiB"), 65'536u);
  EXPECT_EQ(parse_size("64K"), 65'536u);
  EXPECT_EQ(parse_size("1MB"), 1'000'000u);
  EXPECT_EQ(parse_size("1GiB"), std::uint64_t{1} << 30);
  EXPECT_FALSE(parse_size("64KB!"));
  EXPECT_FALSE(parse_size("-1"));
}

TEST(ParseShare, AsNumberOrPerCentWithinItsRange) {
  EXPECT_EQ(parse_share("0.5"), 0.5);
  EXPECT_EQ(parse_share("5%"), 0.05);
  EXPECT_EQ(parse_share("0"), 0);
  EXPECT_EQ(parse_share("1"), 1);
  EXPECT_EQ(complaint(parse_share("2")), "'2' is not a share from 0 to 1, such as 0.05 or 5%");
  EXPECT_EQ(complaint(parse_share("0", {.above_low = true})),
            "'0' is not a share above 0 and up to 1, such as 0.05 or 5%");
  EXPECT_EQ(complaint(parse_share("1", {.below_high = true})),
            "'1' is not a share from 0 to below 1, such as 0.05 or 5%");
  EXPECT_EQ(parse_share("300%", {.high = 10}), 3);
  for (const char* const wrong : {"", "%", "x", "0.5x", "nan", "-0.1", "1 %x"})
    EXPECT_FALSE(parse_share(wrong)) << wrong;
}

TEST(ParseNumbers, WholeBoundedAndOfOneWord) {
  EXPECT_EQ(parse_count("1e6", 1, 1'000'000'000'000), 1'000'000u);
  EXPECT_EQ(complaint(parse_count("0", 1, 64)), "'0' is not a whole number from 1 to 64");
  EXPECT_EQ(complaint(parse_count("1.5", 1, 1'000'000'000'000)),
            "'1.5' is not a whole number from 1 to 10^12");
  EXPECT_FALSE(parse_count("65", 1, 64));
  EXPECT_FALSE(parse_count("nan", 1, 64));
  EXPECT_EQ(parse_between("-3.5", -10, 10), -3.5);
  EXPECT_EQ(complaint(parse_between("11", -10, 10)), "'11' is not a number from -10 to 10");
  EXPECT_EQ(parse_word("0x9a3f9a3f"), 0x9a3f9a3f);
  EXPECT_EQ(parse_word("4294967295"), 0xffff'ffff);
  for (const char* const wrong : {"", "0x", "4294967296", "0x1ffffffff", "-1", "12z"})
    EXPECT_FALSE(parse_word(wrong)) << wrong;
}

TEST(ParseCapacity, InBitsOfPowersOfTen) {
  EXPECT_EQ(parse_capacity("10Gbit"), 1.25e9);
  EXPECT_EQ(parse_capacity("155Mbit/s"), 155e6 / 8);
  EXPECT_EQ(parse_capacity("64kbit"), 8e3);
  EXPECT_EQ(parse_capacity("800bit/s"), 100);
  for (const char* const wrong : {"", "10", "10GB", "-1Gbit", "0bit", "Gbit"})
    EXPECT_FALSE(parse_capacity(wrong)) << wrong;
}

TEST(FormatUnits, FourDigitsAndTheUnitThatFits) {
  EXPECT_EQ(format_duration(12ns), "12 ns");
  EXPECT_EQ(format_duration(80'250ns), "80.25 us");
  EXPECT_EQ(format_duration(20'310us), "20.31 ms");
  EXPECT_EQ(format_duration(-1'500ms), "-1.500 s");
  EXPECT_EQ(format_duration(999'960us), "1.000 s");
  EXPECT_EQ(format_size(512), "512 B");
  EXPECT_EQ(format_size(65'536), "64 KiB");
  EXPECT_EQ(format_size(1'610'612'736), "1.5 GiB");
  EXPECT_EQ(format_count(1'234'567), "1 234 567");
  EXPECT_EQ(format_count(123), "123");
  EXPECT_EQ(format_time(timestamp_from_ns(1'794'708'340'123'456'789)),
            "2026-11-15T02:05:40.123456789Z");
}

TEST(Parse, KindsAreNamesOrAll) {
  const KindSet some = parse_kinds("dns,tcp-ts").value();
  for (std::size_t i = 0; i < kind_count; ++i) {
    const Kind kind = static_cast<Kind>(i);
    EXPECT_EQ(some.has(kind), kind == Kind::dns || kind == Kind::tcp_ts) << name_of(kind);
    EXPECT_TRUE(parse_kinds("all")->has(kind));
    EXPECT_TRUE(parse_kinds("dns,all")->has(kind));
    EXPECT_TRUE(parse_kinds(name_of(kind))->has(kind));
  }
  for (const char* const wrong : {"", "tcp,", ",tcp", "TCP", "none", "tcp;dns"})
    EXPECT_FALSE(parse_kinds(wrong)) << wrong;
  EXPECT_EQ(parse_kinds("tcp,snmp").error().message.substr(0, 22), "'snmp' is not a kind; ");
}

}  // namespace
}  // namespace sojourn
