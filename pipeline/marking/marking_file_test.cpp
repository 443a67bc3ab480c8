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

}  // namespace
}  // namespace sojourn
