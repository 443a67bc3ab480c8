#include "ipfix/transport/exporter.h"

#include <gtest/gtest.h>

#include <numeric>

#include "ipfix/transport/test_certificates.h"
#include "ipfix/transport/test_stream.h"

namespace sojourn::ipfix {
namespace {

std::vector<std::uint32_t> counting(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

ExporterOptions to(Transport transport, std::uint16_t port) {
  ExporterOptions options;
  options.collector = {transport, "127.0.0.1", port};
  options.writer = {.domain = 5, .most_bytes = 1'000};
  options.first_pause = milliseconds{20};
  options.longest_pause = milliseconds{100};
  return options;
}

class OverTransport : public testing::TestWithParam<Transport> {};

TEST_P(OverTransport, AllRecordsArriveOnce) {
  auto listener = Listener::open(listen_on(GetParam()));
  ASSERT_TRUE(listener) << listener.error().message;
  auto spool = Spool::open({});
  auto exporter = Exporter::open(to(GetParam(), (*listener)->port()), **spool);
  (*exporter)->start();
  Received received;
  std::uint64_t number = 1;
  for (std::uint32_t first = 0; first < 2'000; first += 500) {
    write_flows(**spool, first, 500, number);
    (*exporter)->wake();
    EXPECT_TRUE(poll_until(**listener, received.take(),
                           [&] { return received.labels.size() >= first + 500; }));
  }
  EXPECT_EQ(received.labels, counting(2'000));
  EXPECT_EQ(received.missing, 0);
  EXPECT_EQ(received.repeated, 0u);
  EXPECT_TRUE((*exporter)->finish(milliseconds{1'000}));
  const ListenerCounters counters = (*listener)->counters();
  EXPECT_EQ(counters.troubles.total(), 0u);
  EXPECT_EQ(counters.data_records, 2'000 + received.numbers.size());
}

INSTANTIATE_TEST_SUITE_P(Transports, OverTransport, testing::Values(Transport::tcp, Transport::udp),
                         [](const auto& chosen) { return std::string{name_of(chosen.param)}; });

TEST(Exporter, ACollectorThatComesLateAndGoesInBetweenMissesNothing) {
  auto spool = Spool::open({});
  const KeptPort kept;
  const std::uint16_t port = kept.port();
  ASSERT_NE(port, 0);
  auto exporter = Exporter::open(to(Transport::tcp, port), **spool);
  (*exporter)->start();
  std::uint64_t number = 1;
  write_flows(**spool, 0, 300, number);
  (*exporter)->wake();
  EXPECT_TRUE(comes_true([&] { return !(*exporter)->take_log().empty(); }));
  EXPECT_FALSE((*exporter)->connected());
  EXPECT_EQ((*spool)->counters().waiting.records, 300u);

  std::vector<std::uint32_t> labels;
  for (int life = 0; life < 3; ++life) {
    auto listener = Listener::open(listen_on(Transport::tcp, port));
    ASSERT_TRUE(listener) << listener.error().message;
    Received received;
    const auto wanted = static_cast<std::size_t>(300 * (life + 1));
    // A new collector knows nothing of the last one's messages: they come again, being recent.
    EXPECT_TRUE(poll_until(**listener, received.take(), [&] {
      return received.labels.size() >= wanted;
    })) << received.labels.size();
    EXPECT_EQ(received.labels, counting(static_cast<std::uint32_t>(wanted)));
    EXPECT_EQ(received.missing, 0);
    labels = received.labels;
    if (life < 2) write_flows(**spool, static_cast<std::uint32_t>(wanted), 300, number);
  }
  EXPECT_GE((*exporter)->sessions(), 3u);  // one may have met a collector that was just going
  // The last record may have been read here before its writer came to note that it is written.
  EXPECT_TRUE(comes_true([&] { return (*spool)->counters().waiting.records == 0; }));
}

TEST(Exporter, FinishDoesNotWaitForeverForACollectorThatIsNotThere) {
  auto spool = Spool::open({});
  auto exporter = Exporter::open(to(Transport::tcp, 1), **spool);
  (*exporter)->start();
  std::uint64_t number = 1;
  write_flows(**spool, 0, 10, number);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE((*exporter)->finish(milliseconds{200}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
}

#ifdef SOJOURN_WITH_GNUTLS
TEST_F(TlsTest, AllRecordsArriveOnce) {
  ListenerOptions options = listen_on(Transport::tls);
  options.tls = files("collector");
  auto listener = Listener::open(options);
  ASSERT_TRUE(listener) << listener.error().message;
  auto spool = Spool::open({});
  ExporterOptions exporting = to(Transport::tls, (*listener)->port());
  exporting.tls = files("point");
  auto exporter = Exporter::open(exporting, **spool);
  ASSERT_TRUE(exporter) << exporter.error().message;
  (*exporter)->start();
  std::uint64_t number = 1;
  write_flows(**spool, 0, 5'000, number);
  (*exporter)->wake();
  Received received;
  EXPECT_TRUE(
      poll_until(**listener, received.take(), [&] { return received.labels.size() >= 5'000; }));
  EXPECT_EQ(received.labels, counting(5'000));
  EXPECT_EQ((*listener)->counters().refused_certificates, 0u);
}

TEST_F(TlsTest, AStrangersCertificateIsRefusedAndNothingIsLost) {
  ListenerOptions options = listen_on(Transport::tls);
  options.tls = files("collector");
  auto listener = Listener::open(options);
  auto spool = Spool::open({});
  ExporterOptions exporting = to(Transport::tls, (*listener)->port());
  exporting.tls = files("stranger", "ours");
  auto exporter = Exporter::open(exporting, **spool);
  (*exporter)->start();
  std::uint64_t number = 1;
  write_flows(**spool, 0, 10, number);
  Received received;
  EXPECT_TRUE(poll_until(**listener, received.take(),
                         [&] { return (*listener)->counters().refused_certificates >= 3; }));
  EXPECT_TRUE(received.labels.empty());
  EXPECT_EQ((*listener)->take_log().size(), 1u);  // three refusals, one line
}

TEST_F(TlsTest, ACollectorOfAnotherAuthorityGetsNothing) {
  ListenerOptions options = listen_on(Transport::tls);
  options.tls = files("stranger", "ours");
  auto listener = Listener::open(options);
  auto spool = Spool::open({});
  ExporterOptions exporting = to(Transport::tls, (*listener)->port());
  exporting.tls = files("point");
  auto exporter = Exporter::open(exporting, **spool);
  (*exporter)->start();
  std::uint64_t number = 1;
  write_flows(**spool, 0, 10, number);
  Received received;
  std::vector<std::string> log;
  EXPECT_TRUE(poll_until(**listener, received.take(), [&] {
    for (const std::string& line : (*exporter)->take_log()) log.push_back(line);
    return !log.empty();
  }));
  EXPECT_TRUE(received.labels.empty());
  EXPECT_EQ((*spool)->counters().waiting.records, 10u);
}
#endif

}  // namespace
}  // namespace sojourn::ipfix
