// The program that selects packets, one packet at a time.
#include "dataplane/selection_program.h"

#include <gtest/gtest.h>

#include <vector>

#include "dataplane/test_datagram.h"

namespace sojourn {
namespace {

std::vector<dp_handed> heads_in(SelectionProgram& program) {
  std::vector<dp_handed> heads;
  auto keep = [&](const dp_handed& head, std::span<const std::byte>) {
    heads.push_back(head);
    return true;
  };
  program.read(keep);
  return heads;
}

constexpr std::int64_t passed_at = 1'700'000'000'000'000'000;

TEST(SelectionProgram, SelectsByTheLabelAndTheLimitThatItIsGiven) {
  const test::Datagram query{1, false};
  auto all = SelectionProgram::load({.init = 77, .replay = true});
  if (!all) GTEST_SKIP() << all.error().message;
  ASSERT_TRUE(all->replay(query.at(passed_at)));
  const auto heads = heads_in(*all);
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_TRUE(heads[0].is_decided);
  EXPECT_EQ(heads[0].time_ns, static_cast<std::uint64_t>(passed_at)) << "not the packet's own time";
  EXPECT_EQ(heads[0].length, query.bytes.size());
  const std::uint32_t label = heads[0].label;

  // Its label is the limit, above it, or another one.
  for (const std::uint32_t below : {0u, 1u}) {
    auto some = SelectionProgram::load({.init = 77, .max = label - below, .replay = true});
    ASSERT_TRUE(some) << some.error().message;
    ASSERT_TRUE(some->replay(query.at(passed_at)));
    EXPECT_EQ(some->counters().seen, 1u);
    EXPECT_EQ(some->counters().selected, 1 - below);
    EXPECT_EQ(some->counters().not_selected, below);
    EXPECT_EQ(heads_in(*some).size(), 1 - below);
  }
  auto other = SelectionProgram::load({.init = 78, .replay = true});
  ASSERT_TRUE(other) << other.error().message;
  ASSERT_TRUE(other->replay(query.at(passed_at)));
  const auto others = heads_in(*other);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_NE(others[0].label, label);
}

// The packet inside is what counts, and only the process finds it.
TEST(SelectionProgram, LeavesWhatMayBeATunnelToTheProcess) {
  auto program = SelectionProgram::load({.max = 0, .replay = true});
  if (!program) GTEST_SKIP() << program.error().message;
  test::Datagram vxlan{1, false};
  vxlan.bytes[36] = 4789 >> 8, vxlan.bytes[37] = 4789 & 0xff;
  ASSERT_TRUE(program->replay(vxlan.at(passed_at)));
  EXPECT_EQ(program->counters().undecided, 1u);
  const auto heads = heads_in(*program);
  ASSERT_EQ(heads.size(), 1u);
  EXPECT_FALSE(heads[0].is_decided);
}

}  // namespace
}  // namespace sojourn
