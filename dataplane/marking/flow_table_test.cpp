#include "dataplane/kernel/marking/flow_table.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "core/hash.h"
#include "dataplane/marking/flow_places.h"

namespace sojourn {
namespace {

struct Secrets {
  dp_pair_secrets of;
  mk_shape shape;

  explicit Secrets(std::uint64_t seed) : of{}, shape{} {
    for (auto& sum : of.of)
      for (__u64& word : sum) word = split_mix(seed);
    for (__u64& word : shape.start) word = split_mix(seed);
  }
  std::uint64_t tag(const mk_bits& bits) const { return mk_tag(&bits, 1, &shape, &of); }
};

/// What differs in the top bit alone does so after a multiplication, whatever the secret: a second
/// word could undo it.
TEST(FlowTable, TwoWordsDoNotUndoEachOther) {
  constexpr __u64 top = __u64{1} << 63, shifted = top | top >> 32;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Secrets secrets{seed};
    const mk_bits one{{0x20010db8, 1, 0x20010db8, 2}, MK_REST(443, 50'000, 6)};
    for (std::size_t word = 0; word + 1 < 4; ++word)
      for (const __u64 second : {top, shifted, shifted ^ top}) {
        mk_bits other = one;
        other.addresses[word] ^= top;
        other.addresses[word + 1] ^= second;
        EXPECT_NE(secrets.tag(one), secrets.tag(other)) << seed << ' ' << word;
      }
  }
}

/// Both halves of a tag are universal by themselves: of 2^20 pairs of neighbours 2^-12 of a pair
/// would be equal in all 32 bits, and half of them in any one.
TEST(FlowTable, EveryBitOfATagIsFair) {
  const Secrets secrets{7};
  std::array<int, 64> ones{};
  constexpr int keys = 10'000;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const std::uint64_t tag = secrets.tag({{1, 2, 3, 4}, MK_REST(i, 443, 6)});
    for (std::size_t bit = 0; bit < ones.size(); ++bit) ones[bit] += tag >> bit & 1;
  }
  // Six deviations of 50 on either side; 64 bits of one fixed seed.
  for (const int count : ones) EXPECT_NEAR(count, keys / 2, 300);
}

std::vector<TaggedFlow> random_flows(std::uint32_t count) {
  std::vector<TaggedFlow> flows;
  std::uint64_t seed = count;
  for (std::uint32_t i = 0; i < count; ++i) flows.push_back({split_mix(seed), i});
  return flows;
}

/// As the program looks a flow up.
const TaggedFlow& looked_up(const FlowPlaces& table, std::uint64_t tag) {
  const std::uint32_t number = static_cast<std::uint32_t>(tag) & (table.displacement_count() - 1);
  const std::uint32_t displacement = mk_displacement(table.displacements[number >> 2], number);
  return table
      .places[mk_place_of(tag, displacement, static_cast<std::uint32_t>(table.places.size()))];
}

TEST(FlowTable, EveryFlowIsFoundAtItsPlace) {
  for (const std::uint32_t count : {1u, 2u, 3u, 17u, 100u, 4096u, 20'000u, 131'072u}) {
    const auto flows = random_flows(count);
    const FlowPlaces table = FlowPlaces::of(flows);
    EXPECT_LE(table.places.size(), flows.size() * 8 / 5 + 2);
    for (const TaggedFlow& flow : flows) {
      ASSERT_EQ(looked_up(table, flow.tag).tag, flow.tag);
      ASSERT_EQ(looked_up(table, flow.tag).flow, flow.flow);
    }
  }
}

TEST(FlowTable, OfEqualTagsTheFirstCounts) {
  const FlowPlaces table = FlowPlaces::of(std::vector<TaggedFlow>{{5, 0}, {9, 1}, {5, 2}});
  EXPECT_EQ(looked_up(table, 5).flow, 0u);
  EXPECT_EQ(looked_up(table, 9).flow, 1u);
}

}  // namespace
}  // namespace sojourn
