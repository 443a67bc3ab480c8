#include "export/marking/mark_text.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(MarkText, SaysWhatWasMarkedAndWhatWasLeftAlone) {
  MarkerOptions options{.setup = {.carrier = *MarkingCarrier::parse("dscp")}};
  const MarkCounters counters{
      .packets = 12'000, .changed = 11'000, .no_carrier = 0, .tunnelled = 300, .other = 700};
  EXPECT_EQ(mark_text("out.pcap", options, counters),
            "out.pcap: 11 000 of 12 000 packets marked in dscp:0, multiplexed, intervals of 1s, 1 "
            "flow\n"
            "  300 left as they are: inside a tunnel\n"
            "  700 left as they are: no IP, or of no monitored flow\n");
  options.restore = true;
  EXPECT_EQ(mark_text("out.pcap", options, {.packets = 5, .changed = 5}),
            "out.pcap: 5 of 5 packets freed of their mark in dscp:0\n");
}

}  // namespace
}  // namespace sojourn
