#include "export/rtt/input_text.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

TEST(InputText, SaysNothingIfNothingWasLost) {
  EXPECT_EQ(drops_text({}), "");
  EXPECT_EQ(stopped_text({}), "");
  EXPECT_TRUE(input_losses({}).empty());
}

TEST(InputText, SaysHowManyPacketsTheKernelDropped) {
  InputSummary input;
  input.kernel_drops = 500;
  input.passed = 10'000;
  EXPECT_EQ(drops_text(input),
            "the kernel dropped 500 of 10 000 packets (5 %) before they could be read: counts are "
            "too low, and pairs are missing");
}

TEST(InputText, SaysWhereTheTableStoppedAndWhatHelps) {
  InputSummary input;
  input.stopped = {.packets = 12'345, .limit_bytes = 64 << 10, .limit_named = true};
  EXPECT_EQ(stopped_text(input),
            "stopped after 12 345 packets: what waits for an answer would take more than 64 KiB; "
            "--memory 64MiB without --table exact measures all of it in fixed memory");
  input.stopped->limit_named = false;
  EXPECT_TRUE(stopped_text(input).contains("64 KiB, half of this machine's memory;"));
  input.kernel_drops = input.passed = 1;
  ASSERT_EQ(input_losses(input).size(), 2u);
  EXPECT_EQ(input_losses(input).front(), stopped_text(input));
}

TEST(InputText, SaysWhatTheEngineMissed) {
  EXPECT_EQ(name_of(Missed::packets), "packets that the kernel had to drop");
  EXPECT_EQ(name_of(Missed::samples), "samples missed");
  EXPECT_EQ(name_of(Missed::samples_for_a_ring), "samples that the ring had no room for");
}

}  // namespace
}  // namespace sojourn
