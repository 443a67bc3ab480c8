// Kind tcp: a segment and the acknowledgment that ends with it.

#include <gtest/gtest.h>

#include "roundtrip/rules/test_conversation.h"

namespace sojourn {
namespace {

using namespace test;

/// Data without a handshake before it: the capture began in mid-stream.
Conversation midstream() { return Conversation{}; }

TEST(TcpSegment, IsAnsweredByTheAcknowledgmentOfItsEnd) {
  for (const bool client_is_low : {true, false}) {
    Conversation talk{443, client_is_low};
    talk.add({.ms = 0, .sequence = 101, .acknowledgment = 501, .payload = 10});
    talk.add(
        {.ms = 30, .from = From::server, .sequence = 501, .acknowledgment = 111, .payload = 7});
    talk.add({.ms = 50, .sequence = 111, .acknowledgment = 508});
    EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "client 20ms"}, 2}));
  }
}

TEST(TcpSegment, SynAndFinCountAsOne) {
  Conversation talk = established();
  talk.add({.ms = 100, .flags = tcp_ack | tcp_fin, .sequence = 101, .acknowledgment = 501});
  talk.add({.ms = 130,
            .from = From::server,
            .flags = tcp_ack | tcp_fin,
            .sequence = 501,
            .acknowledgment = 102});
  talk.add({.ms = 150, .sequence = 102, .acknowledgment = 502});
  EXPECT_EQ(talk.pairs(Kind::tcp),
            (Pairs{{"server 30ms", "client 20ms", "server 30ms", "client 20ms"}, 4}));
}

TEST(TcpSegment, FinWithDataEndsAfterBoth) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .flags = tcp_ack | tcp_fin, .sequence = 101, .payload = 10});
  talk.add({.ms = 20, .from = From::server, .acknowledgment = 111});  // of the data alone
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 112});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpSegment, CumulativeAcknowledgmentAnswersOnlyTheLast) {
  Conversation talk = midstream();
  for (std::uint32_t i = 0; i < 4; ++i)
    talk.add({.ms = static_cast<double>(i), .sequence = 101 + 10 * i, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 141});
  talk.add(
      {.ms = 31, .from = From::server, .acknowledgment = 131});  // late, but equal: still first
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 27ms", "server 29ms"}, 4}));
}

TEST(TcpSegment, AcknowledgmentRepeatedGivesOneSample) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  for (int i = 0; i < 3; ++i)
    talk.add({.ms = 30.0 + i, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpSegment, OvertakenByItsAcknowledgmentIsNoRequest) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .from = From::server, .acknowledgment = 111});
  talk.add({.ms = 1, .sequence = 101, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, 0}));
}

TEST(TcpSegment, RepeatedAfterAJumpOverItGivesNoSample) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10})
      .add({.ms = 1, .sequence = 111, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 121});
  talk.add({.ms = 40, .sequence = 101, .payload = 10});
  talk.add({.ms = 70, .from = From::server, .acknowledgment = 121});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 29ms"}, 2}));
}

TEST(TcpSegment, RepeatedBeforeItsAnswerIsAmbiguous) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  talk.add({.ms = 200, .sequence = 101, .payload = 10});
  talk.add({.ms = 230, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 230ms ambiguous"}, 1}));
}

TEST(TcpSegment, RepeatedAfterItsAnswerGivesNoSecondSample) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 111});
  talk.add({.ms = 40, .sequence = 101, .payload = 10});
  talk.add({.ms = 70, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpSegment, SingleByteSentAgainIsARepeatAndNoKeepAlive) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 1});  // a key pressed
  talk.add({.ms = 200, .sequence = 101, .payload = 1});
  talk.add({.ms = 230, .from = From::server, .acknowledgment = 102});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 230ms ambiguous"}, 1}));
}

TEST(TcpSegment, KeepAliveIsNoRequest) {
  for (const std::uint32_t bytes : {0u, 1u}) {
    Conversation talk = midstream();
    talk.add({.ms = 0, .sequence = 101, .payload = 10});
    talk.add({.ms = 30, .from = From::server, .acknowledgment = 111});
    for (int i = 1; i < 4; ++i) {  // far apart, so that the table has forgotten the data
      talk.add({.ms = i * 75e3, .sequence = 110, .payload = bytes});
      talk.add({.ms = i * 75e3 + 40, .from = From::server, .acknowledgment = 111});
    }
    talk.add({.ms = 300e3, .sequence = 111, .payload = 10});  // and data goes on where it was
    talk.add({.ms = 300e3 + 25, .from = From::server, .acknowledgment = 121});
    EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "server 25ms"}, 2})) << bytes;
  }
}

TEST(TcpSegment, KeepAliveIsNoRequestThoughTheCaptureBeganLater) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .from = From::server, .acknowledgment = 111});
  talk.add({.ms = 100, .sequence = 110, .payload = 1});
  talk.add({.ms = 140, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, 0}));
}

TEST(TcpSegment, KeepAliveWhereSequenceNumbersWrap) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 0xfffffff6, .payload = 10});  // ends at 0
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 0});
  talk.add({.ms = 75e3, .sequence = 0xffffffff, .payload = 1});
  talk.add({.ms = 75e3 + 40, .from = From::server, .acknowledgment = 0});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpSegment, ZeroWindowProbeIsNoRequest) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 111, .window = 0});
  talk.add({.ms = 230, .sequence = 111, .payload = 1});
  talk.add({.ms = 260, .from = From::server, .acknowledgment = 111, .window = 0});
  talk.add({.ms = 660, .sequence = 111, .payload = 1});
  talk.add({.ms = 690, .from = From::server, .acknowledgment = 112, .window = 1000});  // taken
  talk.add({.ms = 700, .sequence = 112, .payload = 1});  // the window is open: data
  talk.add({.ms = 735, .from = From::server, .acknowledgment = 113});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "server 35ms"}, 2}));
}

TEST(TcpSegment, PureAcknowledgmentIsNoRequest) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .acknowledgment = 501});
  talk.add({.ms = 10, .from = From::server, .sequence = 501, .acknowledgment = 101});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, 0}));
}

TEST(TcpSegment, ResetWithAcknowledgmentAnswersAndAsksNothing) {
  Conversation talk{};
  talk.add({.ms = 0, .flags = tcp_syn, .sequence = 100});
  talk.add({.ms = 30, .from = From::server, .flags = tcp_rst | tcp_ack, .acknowledgment = 101});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 1}));
  Conversation with_text{};
  with_text.add({.ms = 0, .flags = tcp_rst | tcp_ack, .sequence = 100, .payload = 10});
  with_text.add({.ms = 30, .from = From::server, .acknowledgment = 110});
  EXPECT_EQ(with_text.pairs(Kind::tcp), (Pairs{{}, 0}));
}

TEST(TcpSegment, ResetWithoutAcknowledgmentAnswersNothing) {
  Conversation talk{};
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .flags = tcp_rst, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, 1}));
}

TEST(TcpSegment, SequenceNumbersWrap) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 0xfffffffb, .payload = 10});
  talk.add({.ms = 30, .from = From::server, .acknowledgment = 5});
  talk.add({.ms = 40, .sequence = 5, .payload = 10});
  talk.add({.ms = 75, .from = From::server, .acknowledgment = 15});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "server 35ms"}, 2}));
}

TEST(TcpSegment, FirstFragmentIsNoRequestButItsAcknowledgmentAnswers) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .from = From::server, .sequence = 501, .payload = 9});
  talk.add(
      {.ms = 10, .sequence = 101, .acknowledgment = 510, .payload = 10, .first_fragment = true});
  talk.add({.ms = 40, .from = From::server, .sequence = 510, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"client 10ms"}, 1}));
}

TEST(TcpSegment, FullSizeOnlyLeavesSmallSegmentsOut) {
  Conversation talk = established();
  talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 1399});   // 1439 of IP
  talk.add({.ms = 70, .sequence = 1500, .acknowledgment = 501, .payload = 1400});  // 1440
  talk.add({.ms = 95, .from = From::server, .sequence = 501, .acknowledgment = 1500});
  talk.add({.ms = 100, .from = From::server, .sequence = 501, .acknowledgment = 2900});
  EXPECT_EQ(talk.pairs(Kind::tcp, {.full_size = 1440}), (Pairs{{"server 30ms"}, 1}));
}

TEST(TcpSegment, ConnectionReusedWithAnotherInitialNumber) {
  Conversation talk = established();
  talk.add({.ms = 60, .sequence = 101, .acknowledgment = 501, .payload = 10});
  talk.add({.ms = 90, .from = From::server, .sequence = 501, .acknowledgment = 111});
  talk.add({.ms = 1000, .flags = tcp_syn, .sequence = 900'000});
  talk.add({.ms = 1040,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 700'000,
            .acknowledgment = 900'001});
  talk.add({.ms = 1060, .sequence = 900'001, .acknowledgment = 700'001, .payload = 1});
  talk.add({.ms = 1101, .from = From::server, .sequence = 700'001, .acknowledgment = 900'002});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "client 20ms", "server 30ms",
                                           "server 40ms", "client 20ms", "server 41ms"},
                                          6}));
}

// Karn's rule still holds after --expire.
TEST(TcpSegment, FinSentSixTimesInTenSecondsGivesNoSample) {
  Conversation talk = established();
  for (const double ms : {100.0, 300.0, 900.0, 2300.0, 5300.0, 11'500.0})
    talk.add({.ms = ms, .flags = tcp_ack | tcp_fin, .sequence = 101, .acknowledgment = 501});
  talk.add({.ms = 11'616, .from = From::server, .sequence = 501, .acknowledgment = 102});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "client 20ms"}, 3}));
}

TEST(TcpSegment, FirstOfSeveralSentAgainAfterExpiryGivesNoSample) {
  for (const bool has_passed : {true, false}) {  // without: unknown by now
    Conversation talk = midstream();
    talk.add({.ms = 0, .sequence = 91, .payload = 10});
    if (has_passed) talk.add({.ms = 1, .sequence = 101, .payload = 10});
    talk.add({.ms = 2, .sequence = 111, .payload = 10});
    talk.add({.ms = 12'000, .sequence = 101, .payload = 10});
    talk.add({.ms = 12'030, .from = From::server, .acknowledgment = 111});
    EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, has_passed ? 3 : 2}));
  }
}

TEST(TcpSegment, SeenFirstBehindOthersIsARequestWhileThoseAreNew) {
  Conversation talk = midstream();  // its first copy was lost on the way to the point of capture
  talk.add({.ms = 0, .sequence = 91, .payload = 10});
  talk.add({.ms = 2, .sequence = 111, .payload = 10});
  talk.add({.ms = 9'000, .sequence = 101, .payload = 10});
  talk.add({.ms = 9'030, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 3}));
  EXPECT_EQ(talk.pairs(Kind::tcp, {.expire = std::chrono::seconds{5}}), (Pairs{{}, 2}));
}

TEST(TcpSegment, NewDataAfterALongSilenceIsARequest) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 91, .payload = 10});
  talk.add({.ms = 60'000, .sequence = 101, .payload = 10});
  talk.add({.ms = 60'030, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms"}, 2}));
}

TEST(TcpSegment, AcknowledgmentOfZeroBeforeTheSynAckDoesNotMakeItOld) {
  Conversation talk;  // after a 0, numbers from 0xc0000000 on look just acknowledged
  talk.add({.ms = 0, .sequence = 100, .acknowledgment = 0});
  talk.add({.ms = 30,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 0xf0000000,
            .acknowledgment = 101});
  talk.add({.ms = 50, .sequence = 101, .acknowledgment = 0xf0000001});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"client 20ms"}, 1}));
  EXPECT_EQ(talk.pairs(Kind::handshake), (Pairs{{"client 20ms"}, 0}));
}

TEST(TcpSegment, SynAckOfAConnectionWhoseSynWasMissedBeginsItsNumbers) {
  Conversation talk = established();
  talk.add({.ms = 60, .from = From::server, .sequence = 501, .acknowledgment = 101, .payload = 9});
  talk.add({.ms = 80, .sequence = 101, .acknowledgment = 510});
  talk.add({.ms = 1000,  // 2^31 behind
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 0x80000100,
            .acknowledgment = 901});
  talk.add({.ms = 1020, .sequence = 901, .acknowledgment = 0x80000101});
  EXPECT_EQ(talk.pairs(Kind::tcp).found.back(), "client 20ms");
  EXPECT_EQ(talk.pairs(Kind::tcp).found.size(), 4u);
}

TEST(TcpSegment, LateCopyOfASynAckChangesNothing) {
  Conversation talk = established();
  talk.add({.ms = 60, .from = From::server, .sequence = 501, .acknowledgment = 101, .payload = 9});
  talk.add({.ms = 80, .sequence = 101, .acknowledgment = 510});
  talk.add({.ms = 1000,
            .from = From::server,
            .flags = tcp_syn | tcp_ack,
            .sequence = 500,
            .acknowledgment = 101});
  talk.add({.ms = 1020, .sequence = 101, .acknowledgment = 510});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{"server 30ms", "client 20ms", "client 20ms"}, 3}));
}

TEST(TcpSegment, AnswersAfterExpiryDoNotCount) {
  Conversation talk = midstream();
  talk.add({.ms = 0, .sequence = 101, .payload = 10});
  talk.add({.ms = 10'001, .from = From::server, .acknowledgment = 111});
  EXPECT_EQ(talk.pairs(Kind::tcp), (Pairs{{}, 1}));
}

}  // namespace
}  // namespace sojourn
