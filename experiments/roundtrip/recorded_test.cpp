// The scaled-down round-trip experiments give their recorded results.  Recorded with g++: the
// evaluation order of arguments, and so of random draws, depends on the compiler.

#ifndef __clang__

#include "experiments/report/test_recorded.h"
#include "experiments/roundtrip/round_trip_experiments.h"

namespace sojourn {
namespace {

const LabSetting quick{.seed = 1, .quick = true};

TEST(Recorded, L1SaysWhatItSaid) { test::expect_as_recorded("l1", run_l1(quick)); }
TEST(Recorded, L2SaysWhatItSaid) { test::expect_as_recorded("l2", run_l2(quick)); }
TEST(Recorded, L3SaysWhatItSaid) { test::expect_as_recorded("l3", run_l3(quick)); }
TEST(Recorded, L4SaysWhatItSaid) { test::expect_as_recorded("l4", run_l4(quick)); }

}  // namespace
}  // namespace sojourn

#endif
