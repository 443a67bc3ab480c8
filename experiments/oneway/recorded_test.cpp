// The scaled-down one-way experiments give their recorded results.  Only those of a few seconds;
// the others have tests of their parts.  Recorded with g++: the evaluation order of arguments, and
// so of random draws, depends on the compiler.

#ifndef __clang__

#include "experiments/oneway/l9_marking.h"
#include "experiments/oneway/oneway_experiments.h"
#include "experiments/report/test_recorded.h"

namespace sojourn {
namespace {

const LabSetting quick{.seed = 1, .quick = true};

TEST(Recorded, L5SaysWhatItSaid) { test::expect_as_recorded("l5", run_l5(quick)); }
TEST(Recorded, L6SaysWhatItSaid) { test::expect_as_recorded("l6", run_l6(quick)); }
TEST(Recorded, L7SaysWhatItSaid) { test::expect_as_recorded("l7", run_l7(quick)); }
TEST(Recorded, L8SaysWhatItSaid) { test::expect_as_recorded("l8", run_l8(quick)); }
TEST(Recorded, L9SaysWhatItSaid) { test::expect_as_recorded("l9", run_l9(quick)); }
TEST(Recorded, MarginsSayWhatTheySaid) { test::expect_as_recorded("margins", run_margins(quick)); }

}  // namespace
}  // namespace sojourn

#endif
