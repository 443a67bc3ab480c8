#include "ipfix/transport/tls.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string_view>
#include <utility>

#include "capture/unique_fd.h"
#include "ipfix/transport/test_certificates.h"

namespace sojourn::ipfix {
namespace {

#ifdef SOJOURN_WITH_GNUTLS
/// Two connected sockets that do not block.
std::pair<UniqueFd, UniqueFd> connected_sockets() {
  std::array<int, 2> ends{-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {UniqueFd{ends[0]}, UniqueFd{ends[1]}};
}

/// A handshake of two ends in turn.  With TLS 1.3 a client is done before the collector has seen
/// its certificate: each tells only what it thinks of the other's.
struct Handshake {
  Progress point = Progress::again, collector = Progress::again;
  bool point_refused = false, collector_refused = false;

  Handshake(const TlsFiles& of_point, const TlsFiles& of_collector) {
    const auto [here, there] = connected_sockets();
    const auto connecting = TlsContext::open(of_point), accepting = TlsContext::open(of_collector);
    if (!connecting || !accepting) return;
    const auto client = (*connecting)->connect(here.get(), "localhost");
    const auto server = (*accepting)->accept(there.get());
    for (int turn = 0; turn < 20; ++turn) {
      if (point == Progress::again) point = client->handshake();
      if (collector == Progress::again) collector = server->handshake();
    }
    point_refused = client->refused_certificate();
    collector_refused = server->refused_certificate();
  }
};

TEST_F(TlsTest, BothEndsAcceptCertificatesOfTheirAuthority) {
  const Handshake made{files("point"), files("collector")};
  EXPECT_EQ(made.point, Progress::done);
  EXPECT_EQ(made.collector, Progress::done);
}

// Otherwise each point could make itself the collector of all others.
TEST_F(TlsTest, WhoIsNoAuthorityCannotVouchForOthers) {
  const Handshake with_collector{files("point"), files("forger")};
  EXPECT_EQ(with_collector.point, Progress::failed);
  EXPECT_TRUE(with_collector.point_refused);
  const Handshake with_point{files("forger"), files("collector")};
  EXPECT_EQ(with_point.collector, Progress::failed);
  EXPECT_TRUE(with_point.collector_refused);
}

TEST_F(TlsTest, WhatIsNoTlsFailsWithAReasonInWords) {
  const auto [here, there] = connected_sockets();
  const auto context = TlsContext::open(files("collector"));
  ASSERT_TRUE(context) << context.error().message;
  const auto stream = (*context)->accept(there.get());
  constexpr std::string_view text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(::send(here.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  EXPECT_EQ(stream->handshake(), Progress::failed);
  EXPECT_FALSE(stream->refused_certificate());
  EXPECT_FALSE(stream->reason().empty());
}
#endif

}  // namespace
}  // namespace sojourn::ipfix
