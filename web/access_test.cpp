#include "web/access.h"

#include <gtest/gtest.h>

#include "web/web_server.h"

namespace sojourn::web {
namespace {

using namespace std::chrono_literals;

TEST(Access, OnlyTheTokenIsTheToken) {
  EXPECT_TRUE(has_token("Bearer abcdefghijklmnop", "abcdefghijklmnop"));
  for (const char* wrong : {"", "Bearer ", "Bearer abcdefghijklmno", "Bearer abcdefghijklmnopa",
                            "bearer abcdefghijklmnop", "abcdefghijklmnop", "Basic abcdefghijklmnop",
                            "Bearer abcdefghijklmnopabcdefghijklmnop"})
    EXPECT_FALSE(has_token(wrong, "abcdefghijklmnop")) << wrong;
  EXPECT_FALSE(has_token("Bearer ", ""));
}

// A name that another site points here is not ours (DNS rebinding).
TEST(Access, OnlyAddressesAndLocalhostAreOurOwnNames) {
  for (const char* own :
       {"localhost", "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "192.0.2.1", "[::1]"})
    EXPECT_TRUE(is_own_host(own)) << own;
  for (const char* other : {"", "evil.example", "evil.example:8080", "localhost.evil.example",
                            "127.0.0.1.evil.example", "[::1", "localhost:99999", "localhost:80x",
                            "localhost:", "localhost:0", "[localhost]", "[::1]8080", ":8080", "*"})
    EXPECT_FALSE(is_own_host(other)) << other;
}

// The help and the manual promise it.
TEST(Access, UnlessAskedThePageIsAtPort8080OfThisMachineAlone) {
  const WebOptions options;
  EXPECT_EQ(options.host, "127.0.0.1");
  EXPECT_EQ(options.port, 8080);
}

TEST(Access, OtherMachinesNeedTlsAndATokenOrInsecure) {
  WebOptions options;
  EXPECT_EQ(access_fault(options), "");
  options.host = "0.0.0.0";
  EXPECT_NE(access_fault(options), "");
  options.certificate = "c.pem";
  EXPECT_NE(access_fault(options), "");
  options.key = "c.key";
  EXPECT_NE(access_fault(options), "");  // a token
  options.token = "short";
  EXPECT_NE(access_fault(options), "");
  options.token = "0123456789abcdef";
  EXPECT_EQ(access_fault(options), "");
  options.token.clear();
  options.authority = "ca.pem";
  EXPECT_EQ(access_fault(options), "");
  options = {};
  options.host = "";
  EXPECT_NE(access_fault(options), "");
  options.insecure = true;
  EXPECT_EQ(access_fault(options), "");
  options.host = "nonsense";
  EXPECT_NE(access_fault(options), "");
}

TEST(RateLimit, ABurstThenSoManyASecond) {
  RateLimit limit{{.burst = 10, .per_second = 2, .most_askers = 3}};
  const auto now = RateLimit::Clock::now();
  const auto asker = *IpAddress::parse("192.0.2.1");
  int allowed = 0;
  for (int i = 0; i < 100; ++i) allowed += limit.allows(asker, now);
  EXPECT_EQ(allowed, 10);
  for (int i = 0; i < 100; ++i) allowed += limit.allows(asker, now + 5s);
  EXPECT_EQ(allowed, 20);
  // Other clients have their own bucket; beyond the limit they share one.
  EXPECT_TRUE(limit.allows(*IpAddress::parse("192.0.2.2"), now + 5s));
  allowed = 0;
  for (int i = 0; i < 200; ++i)
    allowed += limit.allows(*IpAddress::parse("198.51.100." + std::to_string(i)), now + 5s);
  EXPECT_LE(allowed, 11);
  // An IPv6 network counts as one client.
  RateLimit fresh{{.burst = 1, .per_second = 0.001}};
  EXPECT_TRUE(fresh.allows(*IpAddress::parse("2001:db8::1"), now));
  EXPECT_FALSE(fresh.allows(*IpAddress::parse("2001:db8::2"), now));
}

}  // namespace
}  // namespace sojourn::web
