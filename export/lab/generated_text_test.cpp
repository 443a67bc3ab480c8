#include "export/lab/generated_text.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(GeneratedText, SaysWhatIsInWhichFile) {
  RecordedTraffic made{.packets = 12'345, .samples = 678};
  made.last = made.first + 1500ms;
  EXPECT_EQ(
      generated_text({.capture = "g\x1b.pcap", .truth = "t.csv", .model = "tcp", .seed = 9}, made),
      "g\\x1b.pcap: 12 345 packets in 1.500 s, model tcp, seed 9\nt.csv: 678 samples\n");
}

TEST(GeneratedText, OfTwoPointsNamesFourFiles) {
  TwoPointTrace trace;
  trace.sent.resize(1'000);
  trace.arrivals.resize(990);
  TwoPointTruth truth;
  truth.delays.resize(980);
  truth.flows.resize(7);
  truth.lost = 20;
  EXPECT_EQ(generated_text("g", trace, truth),
            "g.first.pcap: 1 000 packets\ng.last.pcap: 990 packets\ng.delays.csv: 980 delays\n"
            "g.flows.csv: 7 flows, 20 packets lost\n");
}

}  // namespace
}  // namespace sojourn
