#include "roundtrip/turns/turn_tracker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "roundtrip/rules/tcp_connection.h"
#include "roundtrip/rules/test_tcp.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

struct Tcp {
  double ms;
  bool from_client = true;
  std::uint32_t sequence = 0, acknowledgment = 0, payload = 0;
  int flags = tcp_ack;
  std::vector<std::byte> bytes = {};
};

/// One connection, packet by packet; the client is the lower end.
class TurnTrackerTest : public testing::Test {
 protected:
  /// "server 30, network 15, thinking 15": legs and their milliseconds.
  std::string look(const Tcp& tcp) {
    Summary packet = test::tcp_summary(tcp, flow, 443);
    packet.ip = tcp.bytes.data();
    packet.ip_captured = static_cast<std::uint16_t>(tcp.bytes.size());
    std::string text;
    for (const TurnDelay& found : tracker.look_at({&packet, 1}))
      text += fmt::format("{}{}{} {:g}", text.empty() ? "" : ", ",
                          found.kind == Kind::tls ? "tls " : "", name_of(found.leg),
                          static_cast<double>(found.delay.count()) / 1e6);
    return text;
  }
  /// SYN, SYN-ACK, ACK; the server is 15 ms away.
  void open() {
    EXPECT_EQ(look({0, true, 99, 0, 0, tcp_syn}), "");
    EXPECT_EQ(look({15, false, 499, 100, 0, tcp_syn | tcp_ack}), "");
    EXPECT_EQ(look({20, true, 100, 500}), "");
  }
  std::uint64_t unclear(Unclear why, Kind kind = Kind::response) const {
    return tracker.counters(kind).unclear[why];
  }
  std::uint64_t requests(Kind kind = Kind::response) const {
    return tracker.counters(kind).requests;
  }

  TurnTracker tracker{{.kinds = KindSet::all()}};
  std::uint64_t flow = 7;
};

TEST_F(TurnTrackerTest, TimesAnAnswerFromTheLastByteToTheFirst) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 1400}), "");
  EXPECT_EQ(look({31, true, 1500, 500, 300}), "");
  EXPECT_EQ(look({47, false, 500, 1800}), "") << "heard: 16 ms, more than the handshake's 15";
  EXPECT_EQ(look({131, false, 500, 1800, 1400}), "server 100, network 15, thinking 85");
  EXPECT_EQ(look({132, false, 1900, 1800, 1400}), "");
  EXPECT_EQ(look({150, true, 1800, 3300, 10}), "");
  EXPECT_EQ(look({160, false, 3300, 1810, 10}), "server 10, network 10, thinking 0")
      << "the smallest round trip is that of the same connection, this one included";
  EXPECT_EQ(requests(), 2u);
}

TEST_F(TurnTrackerTest, LetsTheServerSpeakFirst) {
  open();
  EXPECT_EQ(look({30, false, 500, 100, 50}), "") << "a banner answers nothing";
  EXPECT_EQ(look({45, true, 100, 550, 10}), "");
  EXPECT_EQ(look({70, false, 550, 110, 10}), "server 25, network 15, thinking 10");
  EXPECT_EQ(requests(), 1u);
}

TEST_F(TurnTrackerTest, LeavesOutWhatCrossedOnItsWay) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 10}), "");
  EXPECT_EQ(look({40, false, 500, 100, 50}), "") << "sent before the request had arrived";
  EXPECT_EQ(look({50, false, 550, 110, 50}), "") << "perhaps the rest of it";
  EXPECT_EQ(unclear(Unclear::overlapping), 1u);
  EXPECT_EQ(look({60, true, 110, 550, 10}), "") << "sent before all of the answer had arrived";
  EXPECT_EQ(look({80, false, 600, 120, 50}), "");
  EXPECT_EQ(unclear(Unclear::overlapping), 2u);
  EXPECT_EQ(look({90, true, 120, 650, 10}), "");
  EXPECT_EQ(look({110, false, 650, 130, 50}), "server 20, network 15, thinking 5");
}

TEST_F(TurnTrackerTest, LeavesOutRequestsInSeveralWrites) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 10}), "");
  EXPECT_EQ(look({31, true, 110, 500, 10}), "") << "the second of two, or the rest of one";
  EXPECT_EQ(look({60, false, 500, 120, 50}), "");
  EXPECT_EQ(unclear(Unclear::several_writes), 1u);
}

TEST_F(TurnTrackerTest, LeavesOutWhatWasSentAgain) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 10}), "");
  EXPECT_EQ(look({230, true, 100, 500, 10}), "") << "which of the two was answered? (Karn)";
  EXPECT_EQ(look({260, false, 500, 110, 50}), "");
  EXPECT_EQ(unclear(Unclear::sent_again), 1u);
  EXPECT_EQ(look({300, true, 110, 550, 10}), "");
  EXPECT_EQ(look({316, false, 550, 120}), "") << "the server has it";
  EXPECT_EQ(look({320, true, 110, 550, 10}), "") << "an impatient copy changes nothing";
  EXPECT_EQ(look({330, true, 119, 550, 1}), "") << "nor does a keep-alive";
  EXPECT_EQ(look({400, false, 550, 120, 50}), "server 100, network 15, thinking 85");
}

TEST_F(TurnTrackerTest, LeavesOutWhatHasGaps) {
  open();
  EXPECT_EQ(look({30, true, 200, 500, 10}), "") << "100 to 199 did not pass";
  EXPECT_EQ(look({60, false, 500, 210, 50}), "");
  EXPECT_EQ(look({70, true, 210, 550, 10}), "");
  EXPECT_EQ(look({90, false, 600, 220, 50}), "") << "the answer's first bytes did not pass";
  EXPECT_EQ(look({95, true, 220, 650, 10}), "");
  EXPECT_EQ(look({99, false, 650, 330, 50}), "") << "230 to 329 did not pass";
  EXPECT_EQ(unclear(Unclear::gap), 3u);
}

TEST_F(TurnTrackerTest, WaitsNoLongerThanExpire) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 10}), "");
  EXPECT_EQ(look({10'031, false, 500, 110, 50}), "");
  EXPECT_EQ(look({10'040, true, 110, 550, 10}), "");
  EXPECT_EQ(look({20'040, false, 550, 120, 50}), "server 10000, network 15, thinking 9985");
  EXPECT_EQ(tracker.counters(Kind::response).unclear.total(), 0u);
}

TEST_F(TurnTrackerTest, KnowsNoNetworkPartWithoutARoundTrip) {
  EXPECT_EQ(look({30, true, 100, 500, 10, tcp_push}), "") << "the capture began later";
  EXPECT_EQ(look({40, false, 500, 110, 50}), "server 10, network 10, thinking 0")
      << "the answer is the first to acknowledge it";
}

const auto client_hello = bytes_of({22, 3, 1, 0, 95, 1, 0, 0, 91, 3, 3});
const auto server_hello = bytes_of({22, 3, 3, 0, 95, 2, 0, 0, 91, 3, 3});

TEST_F(TurnTrackerTest, TimesTls12) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({65, false, 500, 200, 100, tcp_ack, server_hello}),
            "server 35, network 15, thinking 20, "
            "tls server 35, tls network 15, tls thinking 20");
  const auto key_exchange = bytes_of({22, 3, 3, 0, 5, 16, 0, 0, 1, 0, 20, 3, 3, 0, 1, 1});
  EXPECT_EQ(look({70, true, 200, 600, 16, tcp_ack, key_exchange}), "");
  EXPECT_EQ(look({86, false, 600, 216, 6, tcp_ack, bytes_of({20, 3, 3, 0, 1, 1})}),
            "server 16, network 15, thinking 1");
  EXPECT_EQ(look({90, true, 216, 606, 20, tcp_ack, bytes_of({23, 3, 3, 0, 15})}), "tls sum 60");
  EXPECT_EQ(requests(Kind::tls), 1u);
}

/// What the server encrypts before its Finished is called application data, too.
TEST_F(TurnTrackerTest, TimesTls13WithAHelloInTwoSegments) {
  open();
  auto large = client_hello;
  large[3] = std::byte{6};  // 1536 + 95 bytes
  EXPECT_EQ(look({30, true, 100, 500, 1400, tcp_ack, large}), "");
  EXPECT_EQ(look({31, true, 1500, 500, 236, tcp_ack, bytes_of({1, 2, 3})}), "");
  auto flight = server_hello;
  flight.resize(100);
  for (const auto byte : bytes_of({20, 3, 3, 0, 1, 1, 23, 3, 3, 4, 0})) flight.push_back(byte);
  EXPECT_EQ(look({51, false, 500, 1736, 1200, tcp_ack, flight}),
            "server 20, network 15, thinking 5, tls server 20, tls network 15, tls thinking 5");
  const auto finished = bytes_of({20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 53});
  EXPECT_EQ(look({55, true, 1736, 1700, 64, tcp_ack, finished}), "tls sum 24");
  EXPECT_EQ(tracker.counters(Kind::tls).unclear.total(), 0u);
}

TEST_F(TurnTrackerTest, LeavesOutTlsThatIsRefusedOrEarly) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({50, false, 500, 200, 7, tcp_ack, bytes_of({21, 3, 3, 0, 2, 2, 40})}),
            "server 20, network 15, thinking 5");
  EXPECT_EQ(unclear(Unclear::refused, Kind::tls), 1u);
  flow = 9;
  open();
  EXPECT_EQ(look({30, true, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({31, true, 200, 500, 50, tcp_ack, bytes_of({23, 3, 3, 0, 45})}), "");
  EXPECT_EQ(look({50, false, 500, 250, 100, tcp_ack, server_hello}),
            "tls server 20, tls network 15, tls thinking 5")
      << "the ServerHello does not wait for the early data";
  EXPECT_EQ(look({60, true, 250, 600, 50, tcp_ack, bytes_of({23, 3, 3, 0, 45})}), "");
  EXPECT_EQ(unclear(Unclear::early_data, Kind::tls), 1u);
}

TEST_F(TurnTrackerTest, NeverThinksForLessThanNothing) {
  open();
  EXPECT_EQ(look({30, true, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({31, true, 200, 500, 50, tcp_ack, bytes_of({23, 3, 3, 0, 45})}), "");
  EXPECT_EQ(look({40, false, 500, 200, 100, tcp_ack, server_hello}),
            "tls server 10, tls network 10, tls thinking 0")
      << "faster than the handshake's 15 ms, and without the early data";
}

TEST_F(TurnTrackerTest, BeginsAnewAfterAReset) {
  EXPECT_EQ(look({0, true, 99, 0, 0, tcp_syn}), "");
  EXPECT_EQ(look({15, false, 7000, 8000}), "") << "of an older connection";
  EXPECT_EQ(look({15, true, 8000, 0, 0, tcp_rst}), "");
  EXPECT_EQ(look({1000, true, 99, 0, 0, tcp_syn}), "");
  EXPECT_EQ(look({1015, false, 499, 100, 0, tcp_syn | tcp_ack}), "");
  EXPECT_EQ(look({1030, true, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({1050, false, 500, 200, 100, tcp_ack, server_hello}),
            "server 20, network 15, thinking 5, tls server 20, tls network 15, tls thinking 5");
}

TEST_F(TurnTrackerTest, KnowsTheClientByItsHello) {
  flow = 11;
  // Ports say that 443 is the server; here it is the other way round, and the SYN is not there.
  EXPECT_EQ(look({30, false, 100, 500, 100, tcp_ack, client_hello}), "");
  EXPECT_EQ(look({50, true, 500, 200, 100, tcp_ack, server_hello}),
            "server 20, network 20, thinking 0, tls server 20, tls network 20, tls thinking 0");
}

/// Two ends of some connections that do, at random, all that the rules ask about: they speak in
/// turn and out of turn, with gaps, again, in pieces, with TLS records and what looks like some,
/// open and end.
class RandomTalk {
 public:
  explicit RandomTalk(std::uint64_t seed) : random_(seed) {}

  Summary next() {
    time_ms_ += one_in(50) ? 11'000 : one_in(3) ? 0 : 1;
    const std::uint32_t connection = number(4);
    auto& sent = sent_[connection];
    const bool from_client = number(2) == 0;
    std::uint32_t& mine = sent[from_client ? 0 : 1];
    const std::uint32_t theirs = sent[from_client ? 1 : 0];
    Tcp tcp{.ms = time_ms_, .from_client = from_client, .sequence = mine, .acknowledgment = theirs};
    if (one_in(2)) tcp.payload = one_in(3) ? 1448 : 1 + number(300);
    if (one_in(12)) tcp.sequence += number(3) * 100 - 100;
    if (one_in(12)) tcp.acknowledgment += number(3) * 100 - 100;
    if (one_in(60)) tcp.flags = static_cast<int>(number(32));
    Summary packet = test::tcp_summary(tcp, connection * 0x9e3779b97f4a7c15u, 443);
    packet.first_fragment = one_in(200);
    packet.ip = records_[number(static_cast<std::uint32_t>(records_.size()))].data();
    packet.ip_captured = one_in(20) ? 0 : 14;
    const std::uint32_t end = tcp.sequence + tcp.payload;
    if (is_newer(end, mine)) mine = end;
    return packet;
  }

 private:
  std::uint32_t number(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_() % below);
  }
  bool one_in(std::uint32_t count) { return number(count) == 0; }

  std::mt19937_64 random_;
  double time_ms_ = 0;
  std::uint32_t sent_[4][2] = {{0, 0}, {~0u - 5000, 7}, {1u << 31, 9}, {100, ~0u - 2000}};
  /// ClientHello, ServerHello, change of cipher, application data, nothing of the kind.
  std::vector<std::vector<std::byte>> records_ = {
      bytes_of({22, 3, 1, 0, 80, 1, 0, 0, 76, 3, 3, 0, 0, 0}),
      bytes_of({22, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3, 0, 0, 0}),
      bytes_of({20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 100, 0, 0, 0}),
      bytes_of({23, 3, 3, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
      bytes_of({22, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}),
      bytes_of({71, 69, 84, 32, 47, 32, 72, 84, 84, 80, 47, 49, 46, 49})};
};

/// All that a tracker told: its delays, and in the end its counters.
std::string told(TurnOptions options, std::uint64_t seed) {
  RandomTalk talk{seed};
  TurnTracker tracker{options};
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const Summary packet = talk.next();
    for (const TurnDelay& found : tracker.look_at({&packet, 1}))
      text += fmt::format("{}: {} {} {} {} {}\n", i, name_of(found.kind), name_of(found.leg),
                          found.delay.count(), found.by_client, found.client_guessed);
  }
  for (const Kind kind : {Kind::response, Kind::tls}) {
    const TurnCounters& counters = tracker.counters(kind);
    text += fmt::format("{} {} {}", name_of(kind), counters.requests, counters.estimated_unclear);
    for (std::size_t i = 0; i < UnclearCounters::size; ++i)
      text += fmt::format(" {}", counters.unclear[static_cast<Unclear>(i)]);
    text += "\n";
  }
  return text;
}

TEST(PlainPackets, LeadToTheSameTheShortWayAndTheLong) {
  std::size_t delays = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    for (const Kind only : {Kind::response, Kind::tls, Kind::count_}) {
      KindSet kinds = KindSet::none();
      for (const Kind kind : {Kind::response, Kind::tls})
        if (only == Kind::count_ || only == kind) kinds.add(kind);
      TurnOptions options{.kinds = kinds, .keep_unclear = seed % 2 == 0};
      const std::string short_way = told(options, seed);
      options.has_short_way = false;
      ASSERT_EQ(short_way, told(options, seed)) << "seed " << seed;
      delays += static_cast<std::size_t>(std::ranges::count(short_way, '\n'));
    }
  EXPECT_GT(delays, 10'000u);  // else it would compare nothing
}

/// Many connections in little memory, each with one exchange.  The slower ones are not seen less
/// often: the weights add up to the truth for slow and fast alike.  The hash decides, so that runs
/// with other keys are independent: z beyond 5 comes with probability 6e-7.  The twin counts
/// samples instead of adding weights, and must be far off.
TEST(TurnsInFixedMemory, AreWithoutBias) {
  constexpr int runs = 40, connections = 4000;
  double sum[2] = {}, squares[2] = {}, samples[2] = {};
  for (int run = 0; run < runs; ++run) {
    TurnTracker tracker{
        {.kinds = KindSet::all(), .most_bytes = 512 * sizeof(TurnRecord), .by_chance = true}};
    double weights[2] = {};
    const auto packet = [&](int connection, double ms, bool from_client, std::uint32_t sequence,
                            std::uint32_t acknowledgment, std::uint32_t payload) {
      Summary summary;
      summary.time = timestamp_from_ns(1'700'000'000'000'000'000 + std::int64_t(ms * 1e6));
      summary.flow = keyed_hash(HashKey::from_seed(static_cast<std::uint64_t>(run)),
                                static_cast<std::uint64_t>(connection), 1);
      summary.content = Content::tcp;
      summary.source_is_low = from_client;
      summary.source_port = from_client ? 40'000 : 80;
      summary.destination_port = from_client ? 80 : 40'000;
      summary.sequence = sequence;
      summary.acknowledgment = acknowledgment;
      summary.payload = payload;
      summary.tcp_flags = tcp_ack;
      for (const TurnDelay& found : tracker.look_at({&summary, 1}))
        if (found.leg == Leg::server) {
          const int slow = found.delay > 100ms;
          weights[slow] += found.weight;
          samples[slow] += 1;
        }
    };
    // A new connection every millisecond; every other one takes a second to be answered.
    for (int i = 0; i < connections + 1000; ++i) {
      if (i < connections) packet(i, i, true, 100, 500, 10);
      if (i >= 10 && i - 10 < connections && i % 2 == 0)
        packet(i - 10, i + 0.1, false, 500, 110, 9);
      if (i >= 999 && i - 999 < connections && (i - 999) % 2 == 1)
        packet(i - 999, i + 0.2, false, 500, 110, 9);
    }
    EXPECT_GT(tracker.weight(), 4u);
    EXPECT_LE(tracker.memory_bytes(), 2 * 512 * sizeof(TurnRecord));
    for (const int slow : {0, 1}) {
      sum[slow] += weights[slow];
      squares[slow] += weights[slow] * weights[slow];
    }
  }
  for (const int slow : {0, 1}) {
    const double truth = connections / 2.0, mean = sum[slow] / runs;
    const double variance = (squares[slow] - sum[slow] * mean) / (runs - 1);
    const double error = std::sqrt(variance / runs);
    EXPECT_LT(std::abs(mean - truth), 5 * error) << mean << " beside " << truth;
    EXPECT_LT(error, 0.05 * truth) << "a bias of a quarter would be noticed";
    EXPECT_GT(std::abs(samples[slow] / runs - truth), 5 * error) << "the twin";
  }
}

}  // namespace
}  // namespace sojourn
