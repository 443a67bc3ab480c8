#include "wire/headers/dns.h"

#include <gtest/gtest.h>

#include "wire/headers/dns_question.h"
#include "wire/test_packets.h"

namespace sojourn {
namespace {

using namespace test;
using Next = DnsStreamPosition::Next;

TEST(Dns, QueryAndResponseHaveTheSameToken) {
  const auto query = parse_dns_message(dns(0xbeef, false, "www.example.org"));
  const auto response = parse_dns_message(dns(0xbeef, true, "www.example.org") + zeros(40));
  ASSERT_TRUE(query && response);
  EXPECT_FALSE(query->response);
  EXPECT_TRUE(response->response);
  EXPECT_EQ(query->token, response->token);
  EXPECT_EQ(query->token & 0xffffu, 0xbeefu);
  EXPECT_NE(query->token >> 16, 0u);
}

TEST(Dns, CaseDoesNotMatterAndAllElseDoes) {
  const auto token = [](std::uint16_t id, std::string_view name, std::uint16_t type) {
    return parse_dns_message(dns(id, false, name, type))->token;
  };
  const auto base = token(1, "www.example.org", 1);
  EXPECT_EQ(base, token(1, "wWw.EXamPLe.oRg", 1));
  EXPECT_NE(base, token(2, "www.example.org", 1));
  EXPECT_NE(base, token(1, "www.example.org", 28));
  EXPECT_NE(base, token(1, "www.example.net", 1));
  EXPECT_NE(base, token(1, "ww.wexample.org", 1));
  EXPECT_NE(token(1, "a@b", 1), token(1, "a`b", 1)) << "neighbours of the letters do not fold";
  EXPECT_NE(token(1, "a[b", 1), token(1, "a{b", 1));
  EXPECT_NE(token(1, "a", 65), token(1, "a", 97)) << "types are not letters";
  EXPECT_NE(token(1, "", 1) >> 16, 0u) << "the root is a name";
}

TEST(Dns, ACutOrStrangeQuestionLeavesTheIdentifier) {
  const Bytes whole = dns(7, false, "www.example.org");
  for (std::size_t size = 12; size < whole.size(); ++size)
    EXPECT_EQ(parse_dns_message(std::span{whole}.first(size))->token, 7u) << size;
  for (std::size_t size = 0; size < 12; ++size)
    EXPECT_FALSE(parse_dns_message(std::span{whole}.first(size)));
  Bytes none = whole;
  none[5] = std::byte{0};
  EXPECT_EQ(parse_dns_message(none)->token, 7u) << "no question";
  Bytes compressed = whole;
  compressed[12] = std::byte{0xc0};
  EXPECT_EQ(parse_dns_message(compressed)->token, 7u);
}

TEST(Dns, UnusedOpcodesAreNoDns) {
  Bytes message = dns(7, false, "a");
  message[2] = std::byte{5 << 3};  // update
  ASSERT_TRUE(parse_dns_message(message));
  EXPECT_NE(parse_dns_message(message)->token, parse_dns_message(dns(7, false, "a"))->token);
  message[2] = std::byte{7 << 3};
  EXPECT_FALSE(parse_dns_message(message));
}

Bytes prefixed(const Bytes& message) {
  return bytes_of(Be16{static_cast<std::uint16_t>(message.size())}) + message;
}

struct Walk {
  std::vector<DnsMessage> messages;
  std::optional<DnsStreamPosition> position;
};

Walk walk(std::span<const std::byte> captured, std::size_t payload, DnsStreamPosition start = {}) {
  Walk result;
  result.position =
      walk_dns_stream(captured, static_cast<std::uint32_t>(payload), start,
                      [&](const DnsMessage& message) { result.messages.push_back(message); });
  return result;
}

TEST(DnsStream, FindsEveryMessageOfASegment) {
  const Bytes first = dns(1, false, "a.example"), second = dns(2, false, "b.example");
  const Bytes stream = prefixed(first) + prefixed(second);
  const Walk found = walk(stream, stream.size());
  ASSERT_EQ(found.messages.size(), 2u);
  EXPECT_EQ(found.messages[0].token, parse_dns_message(first)->token);
  EXPECT_EQ(found.messages[1].token, parse_dns_message(second)->token);
  EXPECT_EQ(found.messages[1].size, second.size());
  ASSERT_TRUE(found.position);
  EXPECT_EQ(found.position->offset, stream.size());
}

// Wherever TCP cuts the stream, a message is found unless the cut is inside its DNS header.  The
// messages behind it are always found.
TEST(DnsStream, SurvivesAnySegmentation) {
  const Bytes first = dns(1, false, "a.example"), second = dns(2, true, "b.example");
  const Bytes stream = prefixed(first) + prefixed(second);
  const std::size_t second_at = first.size() + 4;
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    const auto front = std::span{stream}.first(cut), back = std::span{stream}.subspan(cut);
    const Walk one = walk(front, front.size());
    ASSERT_TRUE(one.position) << cut;
    const Walk two =
        walk(back, back.size(), one.position->after(static_cast<std::uint32_t>(front.size())));
    ASSERT_TRUE(two.position) << cut;
    const bool splits_first =
        cut > 2 && cut<14, splits_second = cut> second_at && cut < second_at + 12;
    EXPECT_EQ(one.messages.size() + two.messages.size(), splits_first || splits_second ? 1u : 2u)
        << cut;
    EXPECT_EQ(two.position->after(static_cast<std::uint32_t>(back.size())).offset, 0u);
    EXPECT_EQ(two.position->next, Next::length);
  }
}

TEST(DnsStream, ASnapLengthLosesOnlyWhatItHides) {
  const Bytes message = dns(1, false, "a.example") + zeros(500);
  const Bytes stream = prefixed(message);
  const Walk found = walk(std::span{stream}.first(20), stream.size());
  ASSERT_EQ(found.messages.size(), 1u);
  EXPECT_EQ(found.messages[0].size, message.size());
  ASSERT_TRUE(found.position);
  EXPECT_EQ(found.position->offset, stream.size());

  const Bytes two = stream + stream;
  EXPECT_FALSE(walk(std::span{two}.first(20), two.size()).position)
      << "the second length is not captured";
}

TEST(DnsStream, AMessageMayEndFarBeyondItsSegment) {
  const Bytes stream = prefixed(dns(1, true, "a.example") + zeros(5000));
  const Walk found = walk(std::span{stream}.first(1000), 1000);
  ASSERT_EQ(found.messages.size(), 1u);
  EXPECT_EQ(found.position->offset, stream.size());
  EXPECT_TRUE(walk(std::span{stream}.subspan(1000, 1000), 1000, found.position->after(1000))
                  .messages.empty());
}

TEST(DnsQuestion, IsNameTypeAndCode) {
  const auto query = read_dns_question(dns(1, false, "WWW.Example.org", 28));
  ASSERT_TRUE(query);
  EXPECT_EQ(query->name, "www.example.org");
  EXPECT_EQ(query->type, 28);
  EXPECT_FALSE(query->code) << "nobody has answered yet";
  Bytes answer = dns(1, true, "www.example.org", 28);
  answer[3] = std::byte{0x83};
  ASSERT_TRUE(read_dns_question(answer));
  EXPECT_EQ(read_dns_question(answer)->code, 3);
  EXPECT_EQ(read_dns_question(dns(1, false, ""))->name, ".");
}

TEST(DnsQuestion, IsNotThereIfCutOrAbsent) {
  const Bytes whole = dns(7, true, "www.example.org");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_dns_question(std::span{whole}.first(size))) << size;
  EXPECT_TRUE(read_dns_question(whole));
  Bytes none = whole;
  none[5] = std::byte{0};
  EXPECT_FALSE(read_dns_question(none));
}

}  // namespace
}  // namespace sojourn
