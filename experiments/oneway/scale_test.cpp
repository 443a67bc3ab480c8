#include <gtest/gtest.h>

#include "experiments/oneway/oneway_experiments.h"

namespace sojourn {
namespace {

// The figures used in docs/design/scale.md.
TEST(Scale, AThousandPointsAsDocumented) {
  const LabReport report = run_scale({});
  ASSERT_EQ(report.tables.size(), 2u);
  const auto& row = report.tables[0].rows.back();
  std::string text;
  for (const Cell& cell : row) text += cell.text + "; ";
  EXPECT_EQ(text, "1000; 10 Mpps; 1 %; 2.87 MB/s; 32.3 M/s; 21; 403 GB; 68; 1.08 PB; ");
  // A tenth of the sampling costs a tenth, for any network.
  const auto& tenth = report.tables[0].rows[report.tables[0].rows.size() - 2];
  EXPECT_DOUBLE_EQ(std::get<double>(row[4].value), 10 * std::get<double>(tenth[4].value));
}

}  // namespace
}  // namespace sojourn
