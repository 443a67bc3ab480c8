// The list of experiments.

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "experiments/report/experiment.h"

namespace sojourn {
namespace {

TEST(Catalog, EachExperimentHasItsOwnNameAndSaysWhatItIs) {
  std::set<std::string_view> names = {"all", "compare", "tune"};
  for (const Experiment& experiment : experiments()) {
    EXPECT_TRUE(names.insert(experiment.name).second) << experiment.name;
    EXPECT_FALSE(experiment.source.empty() || experiment.summary.empty()) << experiment.name;
    EXPECT_NE(experiment.run, nullptr);
  }
}

}  // namespace
}  // namespace sojourn
