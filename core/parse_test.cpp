#include "core/parse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "core/address.h"
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

TEST(SplitAtCommas, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split_at_commas(""), Parts{""});
  EXPECT_EQ(split_at_commas("a"), Parts{"a"});
  EXPECT_EQ(split_at_commas("a,bc,d"), (Parts{"a", "bc", "d"}));
  EXPECT_EQ(split_at_commas(",a,,b,"), (Parts{"", "a", "", "b", ""}));
  EXPECT_EQ(split_at_commas(","), (Parts{"", ""}));
  for (const char* const wrong : {"", ",", "tcp,", ",tcp", "tcp,,dns"})
    EXPECT_FALSE(parse_kinds(wrong)) << wrong;
}

TEST(Trimmed, TakesSpacesAndTabsAway) {
  EXPECT_EQ(trimmed(" \t a b\t "), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(Listed, HasAWordBeforeTheLast) {
  constexpr std::string_view names[] = {"a", "b", "c"};
  EXPECT_EQ(listed(names, "and"), "a, b and c");
  EXPECT_EQ(listed(std::span{names}.first(2), "or"), "a or b");
  EXPECT_EQ(listed(std::span{names}.first(1), "or"), "a");
  EXPECT_EQ(listed({}, "or"), "");
}

TEST(ParsePort, TakesWholeNumbersFromTheLeastOn) {
  EXPECT_EQ(parse_port("0"), 0u);
  EXPECT_EQ(parse_port("65535"), 65'535u);
  EXPECT_EQ(parse_port("1e3"), 1'000u);
  EXPECT_EQ(parse_port("1", 1), 1u);
  EXPECT_EQ(complaint(parse_port("0", 1)), "'0' is not a port from 1 to 65535");
  for (const char* const wrong : {"", "65536", "-1", "0x50", "http", "80 "})
    EXPECT_FALSE(parse_port(wrong)) << wrong;
}

TEST(ParseProtocol, ReadsWhatIsWritten) {
  for (unsigned number = 0; number < 256; ++number) {
    const auto protocol = static_cast<std::uint8_t>(number);
    EXPECT_EQ(parse_protocol(protocol_name(protocol)), protocol);
    EXPECT_EQ(parse_protocol(std::to_string(number)), protocol);
  }
  EXPECT_EQ(protocol_name(1), "icmp");
  EXPECT_EQ(protocol_name(6), "tcp");
  EXPECT_EQ(protocol_name(17), "udp");
  EXPECT_EQ(protocol_name(58), "icmpv6");
  EXPECT_EQ(protocol_name(47), "47");
  EXPECT_EQ(complaint(parse_protocol("256")), "'256' is not a protocol from 0 to 255");
  for (const char* const wrong : {"", "TCP", "sctp", "-1", "0x6", "6 "})
    EXPECT_FALSE(parse_protocol(wrong)) << wrong;
}

TEST(Headline, IsTheWholeWhereThereIsOne) {
  for (const Kind kind : {Kind::handshake, Kind::flow, Kind::quic, Kind::tls})
    EXPECT_EQ(headline_leg(kind), Leg::sum);
  for (const Kind kind :
       {Kind::tcp, Kind::tcp_ts, Kind::dns, Kind::ntp, Kind::icmp, Kind::response})
    EXPECT_EQ(headline_leg(kind), Leg::server);
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

constexpr std::uint64_t most_count = std::numeric_limits<std::uint64_t>::max();

TEST(ParseNumbers, EveryWholeNumberIsReadAsItIsWritten) {
  constexpr std::uint64_t seed = 20'261'118;
  std::mt19937_64 random{seed};
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t number = random() >> (random() % 64);  // of all lengths
    ASSERT_EQ(parse_count(fmt::format("{}", number), 0, most_count), number) << "seed " << seed;
    ASSERT_EQ(parse_count(fmt::format("0{}.00", number), number, number), number) << number;
    const auto zeros = random() % 4;
    const std::uint64_t thousand = zeros == 0 ? 1 : zeros == 1 ? 10 : zeros == 2 ? 100 : 1000;
    if (number <= most_count / thousand) {
      ASSERT_EQ(parse_count(fmt::format("{}e{}", number, zeros), 0, most_count), number * thousand);
    }
    ASSERT_EQ(parse_count(fmt::format("{}.{:03}E+3", number / 1000, number % 1000), 0, most_count),
              number);
    const auto either = static_cast<std::int64_t>(number << (random() % 2));
    constexpr std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                           high = std::numeric_limits<std::int64_t>::max();
    ASSERT_EQ(parse_integer(fmt::format("{}", either), low, high), either) << "seed " << seed;
    if (number > 0) {
      EXPECT_FALSE(parse_count(fmt::format("{}", number), 0, number - 1)) << number;
    }
    if (number < most_count) {
      EXPECT_FALSE(parse_count(fmt::format("{}", number), number + 1, most_count)) << number;
    }
  }
}

TEST(ParseNumbers, NeitherRoundNorWrap) {
  EXPECT_EQ(parse_count("9007199254740993", 0, most_count), 9'007'199'254'740'993u);
  EXPECT_EQ(parse_count("18446744073709551615", 0, most_count), most_count);
  EXPECT_EQ(parse_count("1.8446744073709551615e19", 0, most_count), most_count);
  EXPECT_EQ(parse_count("1.5e3", 0, most_count), 1'500u);
  EXPECT_EQ(parse_count("2000e-3", 0, most_count), 2u);
  EXPECT_EQ(parse_count("0e19", 0, most_count), 0u);
  EXPECT_EQ(parse_count("000", 0, most_count), 0u);
  EXPECT_EQ(parse_count("5.", 0, most_count), 5u);
  EXPECT_EQ(parse_integer("-9223372036854775808", std::numeric_limits<std::int64_t>::min(), 0),
            std::numeric_limits<std::int64_t>::min());
  for (const char* const wrong : {"",
                                  " 1",
                                  "1 ",
                                  "+1",
                                  "-1",
                                  "-0",
                                  ".",
                                  "e3",
                                  ".e3",
                                  "1e",
                                  "1e+",
                                  "1e+-3",
                                  "1e3x",
                                  "1x",
                                  "0x10",
                                  "1.5",
                                  "1.0000000000000000000001",
                                  "1e-1",
                                  "15e-2",
                                  "1.2.3",
                                  "1..2",
                                  "1,000",
                                  "nan",
                                  "inf",
                                  "18446744073709551616",
                                  "1e20",
                                  "1e30",
                                  "1.8446744073709551616e19",
                                  "1e400",
                                  "1e99999999999",
                                  "184467440737095516150",
                                  "9223372036854775808e1"})
    EXPECT_FALSE(parse_count(wrong, 0, most_count)) << wrong;
  for (const char* const wrong : {"--1", "-", "9223372036854775808", "-9223372036854775809", "- 1"})
    EXPECT_FALSE(parse_integer(wrong, std::numeric_limits<std::int64_t>::min(),
                               std::numeric_limits<std::int64_t>::max()))
        << wrong;
  EXPECT_EQ(complaint(parse_integer("-6", -5, 5)), "'-6' is not a whole number from -5 to 5");
}

TEST(ParsePercentile, AboveZeroAndBelowAHundred) {
  EXPECT_EQ(parse_percentile("p95"), 95);
  EXPECT_EQ(parse_percentile("p99.9"), 99.9);
  EXPECT_EQ(complaint(parse_percentile("p100")), "'p100' is not a percentile such as p95 or p99.9");
  for (const char* const wrong :
       {"", "p", "95", "p0", "p-1", "p95%", "p 95", "pnan", "P95", "p95x"})
    EXPECT_FALSE(parse_percentile(wrong)) << wrong;
}

std::string read_host(std::string_view text, HostPort::Use use) {
  const auto parsed = HostPort::parse(text, use, 4739);
  return parsed ? parsed->to_string() : "refused";
}

TEST(HostPort, IsReadAsPeopleWriteIt) {
  for (const auto use : {HostPort::Use::connect, HostPort::Use::listen}) {
    EXPECT_EQ(read_host("north.example", use), "north.example:4739");
    EXPECT_EQ(read_host("north.example:65535", use), "north.example:65535");
    EXPECT_EQ(read_host("192.0.2.1", use), "192.0.2.1:4739");
    EXPECT_EQ(read_host("192.0.2.1:1", use), "192.0.2.1:1");
    EXPECT_EQ(read_host("[2001:db8::1]:99", use), "[2001:db8::1]:99");
    EXPECT_EQ(read_host("[::1]", use), "[::1]:4739");
    EXPECT_EQ(read_host("::1", use), "[::1]:4739");
    EXPECT_EQ(read_host("2001:db8::1:99", use), "[2001:db8::1:99]:4739") << "no brackets, no port";
    EXPECT_EQ(read_host("[fe80::1%eth0]:99", use), "[fe80::1%eth0]:99");
    for (const char* const wrong :
         {"",          "north:",     "north:65536",    "north:70000", "north:-1",
          "north:80x", "north: 80",  "north:8 0",      "north:80:90", "[::1",
          "[::1]99",   "[::1]x:99",  "[::1]:",         "[::1]:65536", "[::1]:9x",
          "[]:99",     "[north]:99", "[192.0.2.1]:99", "::1]:99",     "1::2::3",
          "a b:99",    "north\n:99", "user@north:99",  "a/b",         "a,b:99",
          " :99"})
      EXPECT_EQ(read_host(wrong, use), "refused") << wrong;
  }
}

TEST(HostPort, OnlyWhoListensMayLeaveOutHostAndPort) {
  EXPECT_EQ(read_host(":99", HostPort::Use::listen), "*:99");
  EXPECT_EQ(read_host("*:99", HostPort::Use::listen), "*:99");
  EXPECT_EQ(read_host("*", HostPort::Use::listen), "*:4739");
  EXPECT_EQ(read_host("[::1]:0", HostPort::Use::listen), "[::1]:0");
  EXPECT_EQ(read_host(":0", HostPort::Use::listen), "*:0");
  for (const char* const wrong : {":99", "*:99", "*", "north:0", "[::1]:0", ":0"})
    EXPECT_EQ(read_host(wrong, HostPort::Use::connect), "refused") << wrong;
  EXPECT_EQ(complaint(HostPort::parse("::1", HostPort::Use::listen, {})),
            "'::1': there is no port");
  EXPECT_EQ(complaint(HostPort::parse("north:70000", HostPort::Use::connect, 80)),
            "'north:70000': the port is a whole number from 1 to 65535");
  EXPECT_EQ(complaint(HostPort::parse(":1", HostPort::Use::connect, 80)), "':1': there is no host");
}

TEST(HostPort, IsReadAsItIsWritten) {
  constexpr std::uint64_t seed = 20'261'118;
  std::mt19937_64 random{seed};
  for (int i = 0; i < 2'000; ++i) {
    std::array<std::byte, 16> bytes{};
    for (std::byte& byte : bytes)
      if (random() % 2 == 0) byte = static_cast<std::byte>(random() % 256);
    const bool v4 = random() % 2 == 0;
    const IpAddress address =
        v4 ? IpAddress::v4(std::span{bytes}.first<4>()) : IpAddress::v6(bytes);
    const HostPort written{address.to_string(), static_cast<std::uint16_t>(1 + random() % 65'535)};
    for (const auto use : {HostPort::Use::connect, HostPort::Use::listen})
      ASSERT_EQ(HostPort::parse(written.to_string(), use, {}), written)
          << written.to_string() << ", seed " << seed;
  }
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
