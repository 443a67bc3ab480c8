#include "roundtrip/rules/server_guess.h"

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

bool guess(std::uint16_t source, std::uint16_t destination) {
  Summary packet;
  packet.source_port = source;
  packet.destination_port = destination;
  return source_is_server(packet);
}
/// The same whichever end sends first.
void expect_server(std::uint16_t server, std::uint16_t client) {
  EXPECT_TRUE(guess(server, client)) << server << " and " << client;
  EXPECT_FALSE(guess(client, server)) << server << " and " << client;
}

TEST(ServerGuess, ServicesAreServersEvenIfTheClientsPortIsLower) {
  expect_server(2049, 1003);  // NFS
  expect_server(2049, 993);   // a client may have any reserved port, even that of a service
  expect_server(6000, 1041);  // X11
  expect_server(6063, 1041);
  expect_server(1433, 1027);  // TDS
  expect_server(8080, 1024);
  expect_server(50070, 33000);
}

TEST(ServerGuess, ReservedPortsComeBeforeOthersAndEphemeralOnesLast) {
  expect_server(1003, 5555);
  expect_server(5555, 32768);
  expect_server(32767, 60000);
  expect_server(443, 1003);
}

TEST(ServerGuess, OfEqualsTheLowerOne) {
  expect_server(4500, 4600);
  expect_server(40000, 50000);
  expect_server(80, 443);
  EXPECT_TRUE(guess(5555, 5555));
}

void expect_rank(unsigned rank, const std::vector<std::uint16_t>& ports) {
  for (const std::uint16_t port : ports) EXPECT_EQ(service_rank(port), rank) << port;
}

TEST(ServerGuess, RangesEndWhereTheyEnd) {
  expect_rank(4, {2049});
  expect_rank(3, {6000, 6063, 443, 444, 445, 7});
  expect_rank(2, {446, 6, 8, 1023});
  expect_rank(1, {5999, 6064, 1024, 32767});
  expect_rank(0, {32768, 50069, 50071, 65535});
}

/// The legs of a connection without its SYN, and how many of them are marked as guessed.
struct Legs {
  std::vector<std::string> found;
  int guessed = 0;
};
Legs legs_of(Conversation talk, Kind kind) {
  Legs legs{talk.pairs(kind).found, 0};
  PairingOptions options{.kinds = KindSet::none()};
  options.kinds.add(kind);
  Pairing pairing{HashKey::from_seed(7), options};
  for (const PairEvent& event : pairing.events(talk.packets()))
    legs.guessed += !event.is_request && (event.flags & leg_is_guessed);
  return legs;
}

TEST(ServerGuess, NamesTheLegsOfAConnectionWithoutSyn) {
  for (const bool client_is_low : {true, false}) {
    for (const From first : {From::client, From::server}) {
      Conversation talk{50070, client_is_low};  // above the client's 40000, but a service
      talk.add({.ms = 0, .from = first, .sequence = 101, .payload = 10});
      talk.add({.ms = 30,
                .from = first == From::client ? From::server : From::client,
                .acknowledgment = 111});
      const Legs legs = legs_of(talk, Kind::tcp);
      EXPECT_EQ(legs.found,
                std::vector<std::string>{first == From::client ? "server 30ms" : "client 30ms"});
      EXPECT_GE(legs.guessed, 1);
    }
  }
}

TEST(ServerGuess, IsNotNeededWithASyn) {
  Conversation talk = established(40001);  // both ephemeral, the server's is higher
  talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 10});
  talk.add({.ms = 95, .from = From::server, .sequence = 501, .acknowledgment = 111});
  const Legs legs = legs_of(talk, Kind::tcp);
  EXPECT_EQ(legs.found.back(), "server 35ms");
  EXPECT_EQ(legs.guessed, 0);
}

TEST(ServerGuess, HoldsForAllOfTheConnection) {
  Conversation talk{40001};
  std::uint32_t next = 101;
  for (int i = 0; i < 50; ++i) {
    talk.add({.ms = 100.0 * i, .sequence = next, .acknowledgment = 501, .payload = 10});
    next += 10;
    talk.add({.ms = 100.0 * i + 30, .from = From::server, .sequence = 501, .acknowledgment = next});
  }
  for (const std::string& line : legs_of(talk, Kind::tcp).found) EXPECT_EQ(line, "client 30ms");
  EXPECT_GE(legs_of(talk, Kind::tcp).guessed, 50);
}

TEST(ServerGuess, NamesTheLegsOfTimestampsToo) {
  Conversation talk{50070};
  talk.add({.ms = 0, .sequence = 101, .payload = 10, .timestamps = true, .ts_value = 5});
  talk.add(
      {.ms = 30, .from = From::server, .acknowledgment = 111, .timestamps = true, .ts_echo = 5});
  const Legs legs = legs_of(talk, Kind::tcp_ts);
  EXPECT_EQ(legs.found, std::vector<std::string>{"server 30ms"});
  EXPECT_EQ(legs.guessed, 2);  // the first packet has an echo as well
}

}  // namespace
}  // namespace sojourn
