// The scaled-down run of l9.  Nothing here is statistical: a given figure is exact or the test
// fails.

#include <gtest/gtest.h>

#include "experiments/oneway/l9_marking.h"
#include "experiments/oneway/l9_path.h"

namespace sojourn {
namespace {

TEST(L9, MeetsItsClaimsScaledDown) {
  const LabReport report = run_l9({.seed = 1, .quick = true});
  EXPECT_GE(report.claims.size(), 10u);
  for (const Claim& claim : report.claims)
    EXPECT_TRUE(claim.met) << claim.statement << ": " << claim.ours;
  EXPECT_EQ(report.figures.size(), 5u);
}

/// The score detects a wrong figure: a packet that is lost without being counted in the truth.
TEST(L9, TheScoreNoticesAMiscount) {
  MarkedPath path{MarkingMethod::step, MarkingInterval{-4}, {}};
  constexpr std::int64_t begin = 1'700'000'000'000'000'000;
  // 40 intervals too late: it is counted, but in another interval than that of sending.
  for (int i = 0; i < 4000; ++i)
    path.send(begin + i * std::int64_t{1'000'000}, i == 100 ? 2'500'000'000 : 1000);
  path.finish();
  EXPECT_EQ(path.score().loss_error, 1u);
}

}  // namespace
}  // namespace sojourn
