#include "store/references/reference_visitor.h"

#include <gtest/gtest.h>

#include <vector>

namespace sojourn {
namespace {

Timestamp second(int number) { return timestamp_from_ns(std::int64_t{number} * 1'000'000'000); }

ReferenceFlow numbered_flow(std::uint16_t port) {
  return {.key = {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("198.51.100.2"), port, 9, 17},
          .packets = port};
}

// A row of either kind may have been lost, and an interval may have many flows.
TEST(ReferenceJoiner, HandsOutEveryIntervalOnceWithAllOfItsFlows) {
  const PointReferences run{.point = "north", .instance = 7, .run = {}, .intervals = {}};
  std::vector<ReferenceInterval> all;
  const ReferenceVisitor visit = [&](const PointReferences& of, const ReferenceInterval& interval) {
    EXPECT_EQ(of.point, "north");
    all.push_back(interval);
  };
  ReferenceJoiner joiner{run, visit};
  for (const int begin : {1, 2, 4, 5})
    joiner.interval(second(begin), second(begin + 1),
                    {.references = static_cast<std::uint64_t>(begin)});
  joiner.flow(second(2), second(3), numbered_flow(1));
  joiner.flow(second(2), second(3), numbered_flow(2));
  joiner.flow(second(3), second(4), numbered_flow(3));
  joiner.flow(second(4), second(5), numbered_flow(4));
  joiner.finish();
  joiner.finish();  // nothing is left
  ASSERT_EQ(all.size(), 5u);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(all[static_cast<std::size_t>(i)].begin, second(i + 1));
    EXPECT_EQ(all[static_cast<std::size_t>(i)].end, second(i + 2));
  }
  using Flows = std::vector<ReferenceFlow>;
  EXPECT_EQ(all[0].flows, Flows{});
  EXPECT_EQ(all[1].flows, (Flows{numbered_flow(1), numbered_flow(2)}));
  EXPECT_EQ(all[2].flows, Flows{numbered_flow(3)});
  EXPECT_EQ(all[3].flows, Flows{numbered_flow(4)});
  EXPECT_EQ(all[4].flows, Flows{});
  EXPECT_FALSE(all[2].seen);
  ASSERT_TRUE(all[3].seen);
  EXPECT_EQ(all[3].seen->references, 4u);
}

// A run may begin at any time, so also at that which an interval has before it is set.
TEST(ReferenceJoiner, AnIntervalMayBeginIn1970) {
  const PointReferences run;
  std::size_t flows = 0;
  const ReferenceVisitor visit = [&](const PointReferences&, const ReferenceInterval& interval) {
    flows += interval.flows.size();
  };
  ReferenceJoiner joiner{run, visit};
  joiner.flow(Timestamp{}, second(1), numbered_flow(1));
  joiner.finish();
  EXPECT_EQ(flows, 1u);
}

}  // namespace
}  // namespace sojourn
