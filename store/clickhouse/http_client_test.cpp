#include "store/clickhouse/http_client.h"

#include <gtest/gtest.h>

#include <string>

#include "store/clickhouse/address.h"
#include "store/clickhouse/row_binary.h"
#include "store/clickhouse/server.h"
#include "store/clickhouse/test_canned_server.h"

namespace sojourn::clickhouse {
namespace {

TEST(HttpAnswer, OfKnownLengthAndInPieces) {
  const auto whole = parse_http_answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->status, 200);
  EXPECT_EQ(whole->body, "abc");
  const auto pieces = parse_http_answer(
      "HTTP/1.1 404 Not Found\r\ntransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789"
      "\r\n0\r\n\r\n");
  ASSERT_TRUE(pieces);
  EXPECT_EQ(pieces->status, 404);
  EXPECT_EQ(pieces->body, "abc0123456789");
}

// A server that is killed while it responds must not look like one with few rows.
TEST(HttpAnswer, ThatEndsEarlyIsAnError) {
  const std::string chunked =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n";
  ASSERT_TRUE(parse_http_answer(chunked));
  for (std::size_t size = 0; size < chunked.size() - 2; ++size)
    EXPECT_FALSE(parse_http_answer(chunked.substr(0, size))) << size;
  EXPECT_FALSE(parse_http_answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc"));
  EXPECT_FALSE(parse_http_answer("SSH-2.0-OpenSSH_9.2\r\n\r\n"));
  EXPECT_FALSE(
      parse_http_answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "ffffffffffffffff\r\nabc\r\n0\r\n\r\n"));
}

// More than a read gets at once.
TEST(HttpPost, ALongAnswerIsReadWhole) {
  std::string long_answer;
  for (int i = 0; long_answer.size() < 1'000'000; ++i) long_answer += std::to_string(i);
  const CannedServer server{[&](std::string_view target, std::string_view body) {
    return target == "/?a=b" && body == "question" ? long_answer : std::string{};
  }};
  const auto answer = http_post({"127.0.0.1", server.port()}, "/?a=b", "X: y\r\n", "question");
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(answer->body == long_answer) << answer->body.size();
}

TEST(ClickHouseAddress, NamesShardsAndDatabase) {
  const auto address = Address::parse("clickhouse://me@a,b:9123,[::1]:8124/net_1");
  ASSERT_TRUE(address) << address.error().message;
  EXPECT_EQ(address->user, "me");
  EXPECT_EQ(address->database, "net_1");
  EXPECT_EQ(address->shards, (std::vector<HostPort>{{"a", 8123}, {"b", 9123}, {"::1", 8124}}));
  EXPECT_EQ(address->shards[2].to_string(), "[::1]:8124");
}

TEST(ClickHouseAddress, RefusesWhatCannotBeMeant) {
  for (const char* text :
       {"clickhouse://", "clickhouse://a", "clickhouse://a/", "clickhouse://a/b;drop",
        "clickhouse:///b", "clickhouse://a,/b", "clickhouse://a,a/b", "clickhouse://a:0/b",
        "clickhouse://a:x/b", "clickhouse://[::1/b", "clickhouse://[a]/b", "clickhouse://a:65536/b",
        "clickhouse://[::1]1/b", "clickhouse://u:secret@a/b"})
    EXPECT_FALSE(Address::parse(text)) << text;
}

// Points choose their names: any name must stay inside the quotes.
TEST(ClickHouseSql, QuotesKeepEverythingInside) {
  EXPECT_EQ(quoted("north:south"), "'north:south'");
  EXPECT_EQ(quoted("a' or 1=1 --\\"), "'a\\x27 or 1=1 --\\x5c'");
  EXPECT_EQ(quoted(std::string_view{"\0\n", 2}), "'\\x00\\x0a'");
}

TEST(RowBinary, ReadsWhatItWrites) {
  RowWriter writer;
  writer.number<std::uint8_t>(7).number<std::int64_t>(-5).text(std::string(300, 'x')).number(0.5);
  RowReader reader{writer.bytes()};
  EXPECT_EQ(reader.number<std::uint8_t>(), 7);
  EXPECT_EQ(reader.number<std::int64_t>(), -5);
  EXPECT_EQ(reader.text(), std::string(300, 'x'));
  EXPECT_EQ(reader.number<double>(), 0.5);
  EXPECT_TRUE(reader.done() && !reader.failed());
  EXPECT_EQ(reader.number<std::uint32_t>(), 0u);
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace sojourn::clickhouse
