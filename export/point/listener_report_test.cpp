#include "export/point/listener_report.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using ipfix::Trouble;

ListenerFigures a_day_of_strangers() {
  ListenerFigures figures{.counters = {}, .open_connections = 2};
  figures.counters.connections = 1'030;
  figures.counters.refused_connections = 476;
  figures.counters.refused_certificates = 5;
  figures.counters.failed_handshakes = 4;
  figures.counters.closed_for_slowness = 3;
  figures.counters.closed_for_bad_messages = 20;
  figures.counters.messages = 1'234;
  figures.counters.bytes = 99;
  figures.counters.data_records = 5'678;
  figures.counters.forgotten_sources = 7;
  figures.counters.troubles[Trouble::short_message] = 20;
  figures.counters.troubles[Trouble::bad_value] = 1'001;
  return figures;
}

TEST(ListenerSummary, NamesWhatWasRefusedAndWhatCouldNotBeRead) {
  EXPECT_EQ(listener_summary(a_day_of_strangers()),
            "collector: 1 234 messages with 5 678 records, 1 030 connections\n"
            "  connections refused or closed: too-many 476, certificate 5, handshake 4, slow 3, "
            "not-ipfix 20\n"
            "  could not be read: short-message 20, bad-value 1 001\n"
            "  7 silent sources of UDP were forgotten\n");
}

TEST(ListenerSummary, IsOneLineIfAllWasWell) {
  EXPECT_EQ(listener_summary({}), "collector: 0 messages with 0 records, 0 connections\n");
}

TEST(ListenerJson, HasTheReasonsThatOccurred) {
  EXPECT_EQ(listener_json(a_day_of_strangers()).dump(),
            "{\"open_connections\":2,\"connections\":1030,\"messages\":1234,\"bytes\":99,"
            "\"records\":5678,\"closed\":{\"too-many\":476,\"certificate\":5,\"handshake\":4,"
            "\"slow\":3,\"not-ipfix\":20},\"troubles\":{\"short-message\":20,\"bad-value\":1001},"
            "\"forgotten_sources\":7}");
  EXPECT_EQ(listener_json({})["troubles"].dump(), "{}");
}

TEST(UnreadableParts, AreAllTroublesByName) {
  ipfix::ListenerCounters counters;
  std::uint64_t next = 1;
  for (std::size_t i = 0; i < ipfix::TroubleCounters::size; ++i)
    counters.troubles[static_cast<Trouble>(i)] = next++;
  const auto parts = unreadable_parts(counters);
  ASSERT_EQ(parts.size(), ipfix::TroubleCounters::size);
  EXPECT_EQ(parts.front(), (std::pair<std::string_view, std::uint64_t>{"short-message", 1}));
  EXPECT_EQ(parts.back(), (std::pair<std::string_view, std::uint64_t>{"bad-value", 12}));
}

}  // namespace
}  // namespace sojourn
