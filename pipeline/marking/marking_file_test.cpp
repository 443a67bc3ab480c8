#include "pipeline/marking/marking_file.h"

#include <gtest/gtest.h>

#include <string>

namespace sojourn {
namespace {

/// Of a point that has counted nothing yet.
MarkingPointFile empty_file(const std::string& point, const std::string& duty) {
  MarkingPointFile file;
  file.point = point;
  file.duty = duty;
  file.carrier = "dscp:0";
  return file;
}

TEST(MarkingFile, ThePointThatMarksComesFirst) {
  const auto north = empty_file("north", "mark"), middle = empty_file("middle", "observe"),
             south = empty_file("south", "restore");
  const auto joined = join_marking({north, middle, south});
  ASSERT_TRUE(joined) << joined.error().message;
  EXPECT_EQ(joined->points.size(), 3u);
  // A part of the path, without the point that marks.
  EXPECT_TRUE(join_marking({middle, south}));
  const auto refused = join_marking({middle, north});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("north marks"), std::string::npos)
      << refused.error().message;
}

TEST(MarkingFile, AFlowIsTheSameHoweverItIsWritten) {
  const auto with_flows = [](const std::string& point, std::vector<std::string> flows) {
    MarkingPointFile file = empty_file(point, point == "north" ? "mark" : "observe");
    file.flows = std::move(flows);
    file.records.records.resize(file.flows.size());
    for (std::uint32_t i = 0; i < file.flows.size(); ++i) file.records.records[i].flow = i;
    return file;
  };
  const auto joined = join_marking(
      {with_flows("north", {"protocol=1", "any"}), with_flows("south", {"any", "protocol=icmp"})});
  ASSERT_TRUE(joined) << joined.error().message;
  ASSERT_EQ(joined->setup.flows.size(), 2u);
  EXPECT_EQ(joined->setup.flows[0].text(), "protocol=icmp");
  EXPECT_EQ(joined->points[0].records[0].flow, 0u);
  EXPECT_EQ(joined->points[1].records[0].flow, 1u);
  EXPECT_EQ(joined->points[1].records[1].flow, 0u);
  EXPECT_FALSE(join_marking({with_flows("north", {"protocol=x"})}));
}

}  // namespace
}  // namespace sojourn
