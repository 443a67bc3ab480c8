// Kind flow: from the SYN to the first FIN or RST.

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

TEST(TcpLife, LastsFromSynToTheFirstFinOfEitherEnd) {
  for (const From closer : {From::client, From::server}) {
    Conversation talk = established();
    talk.add({.ms = 5000, .from = closer, .flags = tcp_fin | tcp_ack, .sequence = 101});
    talk.add({.ms = 5100, .from = From::server, .flags = tcp_fin | tcp_ack, .sequence = 501});
    talk.add({.ms = 5200, .flags = tcp_rst, .sequence = 101});
    EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 5000ms"}, 1}));
  }
}

TEST(TcpLife, EndsWithAResetToo) {
  for (const From closer : {From::client, From::server}) {
    Conversation talk = established();
    talk.add({.ms = 700, .from = closer, .flags = tcp_rst});
    EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 700ms"}, 1}));
  }
}

TEST(TcpLife, OutlivesWhatAPacketMayTake) {
  Conversation talk = established();
  talk.add({.ms = 3599e3, .flags = tcp_fin | tcp_ack, .sequence = 101});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 3.599e+06ms"}, 1}));
}

TEST(TcpLife, RepeatedSynCountsFromTheFirst) {
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100})
      .add({.ms = 1000, .flags = tcp_syn, .sequence = 100});
  talk.add({.ms = 4000, .flags = tcp_rst, .sequence = 101});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 4000ms"}, 1}));
}

TEST(TcpLife, SynRepeatedAfterItsEndOrAfterAnHourIsNoSecondLife) {
  Conversation ended = established();
  ended.add({.ms = 700, .flags = tcp_rst, .sequence = 101});
  ended.add({.ms = 800, .flags = tcp_syn, .sequence = 100});
  ended.add({.ms = 900, .from = From::server, .flags = tcp_rst});
  EXPECT_EQ(ended.pairs(Kind::flow), (Pairs{{"sum 700ms"}, 1}));
  Conversation late = established();
  late.add({.ms = 3601e3, .flags = tcp_syn, .sequence = 100});
  late.add({.ms = 3602e3, .flags = tcp_fin | tcp_ack, .sequence = 101});
  EXPECT_EQ(late.pairs(Kind::flow), (Pairs{{}, 1}));
}

TEST(TcpLife, SynRepeatedWithoutItsDataCountsFromTheFirst) {  // RFC 7413 section 4.2.1
  Conversation talk;
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100, .payload = 20});
  talk.add({.ms = 1000, .flags = tcp_syn, .sequence = 100});
  talk.add({.ms = 4000, .flags = tcp_rst, .sequence = 101});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 4000ms"}, 1}));
}

TEST(TcpLife, DuplicateOfTheSynAfterDataCountsFromTheFirst) {
  Conversation talk = established();
  talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 500});
  talk.add({.ms = 70, .flags = tcp_syn, .sequence = 100});
  talk.add({.ms = 4000, .flags = tcp_rst, .sequence = 601});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 4000ms"}, 1}));
}

TEST(TcpLife, ReusedAfterItsEnd) {
  Conversation talk = established();
  talk.add({.ms = 500, .flags = tcp_fin | tcp_ack, .sequence = 101});
  talk.add({.ms = 1000, .flags = tcp_syn, .sequence = 900'000});
  talk.add({.ms = 1900, .from = From::server, .flags = tcp_fin | tcp_ack});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 500ms", "sum 900ms"}, 2}));
}

TEST(TcpLife, ReusedThoughItsEndWasNeverSeen) {
  Conversation talk = established();
  talk.add({.ms = 100'000, .flags = tcp_syn, .sequence = 900'000});
  talk.add({.ms = 100'900, .from = From::server, .flags = tcp_fin | tcp_ack});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{"sum 900ms"}, 2}));
}

TEST(TcpLife, WithoutSynNothingIsKnown) {
  Conversation talk;
  talk.add({.ms = 0, .sequence = 101, .payload = 5})
      .add({.ms = 10, .flags = tcp_fin | tcp_ack, .sequence = 106});
  EXPECT_EQ(talk.pairs(Kind::flow), (Pairs{{}, 0}));
}

/// Whether the closing packet is reported as coming from the end that opened the connection.
bool closed_by_requester(From closer, bool with_syn, bool client_is_low) {
  Conversation talk = with_syn ? established(443, client_is_low) : Conversation{443, client_is_low};
  talk.add({.ms = 500, .from = closer, .flags = tcp_fin | tcp_ack});
  Pairing pairing{HashKey::from_seed(7), {}};
  for (const PairEvent& event : pairing.events(talk.packets()))
    if (event.kind == Kind::flow && !event.is_request)
      return (event.flags & sent_by_requester) != 0;
  return false;
}

TEST(TcpLife, NamesTheClientAsRequesterWhoeverCloses) {
  // Without the SYN: a connection idle for so long that it was forgotten.  Then the port decides.
  for (const bool with_syn : {true, false}) {
    for (const bool client_is_low : {true, false}) {
      EXPECT_TRUE(closed_by_requester(From::client, with_syn, client_is_low)) << with_syn;
      EXPECT_FALSE(closed_by_requester(From::server, with_syn, client_is_low)) << with_syn;
    }
  }
}

}  // namespace
}  // namespace sojourn
