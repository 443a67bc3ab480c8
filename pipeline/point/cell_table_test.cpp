#include "pipeline/point/cell_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "estimate/distribution/flow_tag.h"
#include "estimate/distribution/log_histogram.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

Sample random_sample(std::mt19937_64& random) {
  Sample sample;
  sample.time = timestamp_from_ns(static_cast<std::int64_t>(random() % 50'000'000'000));
  sample.delay = Duration{static_cast<std::int64_t>(random() % 5'000)};
  sample.weight = 1 + static_cast<double>(random() % 4) / 2;
  sample.kind = random() % 2 ? Kind::tcp : Kind::dns;
  sample.leg = random() % 2 ? Leg::server : Leg::client;
  sample.flow = 1 + random() % 20;
  const std::array<std::byte, 4> address{std::byte{192}, std::byte{0}, std::byte{2},
                                         static_cast<std::byte>(random())};
  sample.responder = IpAddress::v4(address);
  return sample;
}

using Key = std::tuple<Timestamp, Kind, Leg, IpAddress, int, std::int32_t>;

TEST(CellTable, IsAMapOfSums) {
  for (const std::size_t prefix_length : {0u, 26u}) {
    std::mt19937_64 random{prefix_length};
    CellTable table{{.slice = 10s, .prefix_length = prefix_length}};
    std::vector<RttCell> cells;
    for (int round = 0; round < 3; ++round) {  // emptied in between
      std::map<Key, std::pair<double, double>> truth;
      for (int i = 0; i < 20'000; ++i) {
        const Sample sample = random_sample(random);
        table.take({&sample, 1});
        const std::int64_t slice = to_ns(sample.time) / 10'000'000'000;
        auto& sums = truth[{timestamp_from_ns(slice * 10'000'000'000), sample.kind, sample.leg,
                            prefix_length ? sample.responder.masked(prefix_length) : IpAddress{},
                            static_cast<int>(FlowTag::of(sample.flow).group()),
                            LogBuckets::index_of(to_ns(sample.delay))}];
        sums.first += sample.weight;
        sums.second += sample.weight * sample.weight;
      }
      table.move_to(cells);
      ASSERT_EQ(cells.size(), truth.size());
      for (const RttCell& cell : cells) {
        const auto found =
            truth.find({cell.slice, cell.kind, cell.leg, cell.prefix, cell.flow_group, cell.bin});
        ASSERT_NE(found, truth.end());
        EXPECT_EQ(found->second.first, cell.weight);
        EXPECT_EQ(found->second.second, cell.squared_weights);
        EXPECT_EQ(cell.prefix_length, prefix_length);
      }
    }
    EXPECT_EQ(table.left_out(), 0u);
  }
}

TEST(CellTable, BeyondItsRoomSamplesAreCounted) {
  std::mt19937_64 random{1};
  CellTable table{{.slice = 10s, .most_cells = 100}};
  double weight = 0;
  for (int i = 0; i < 10'000; ++i) {
    Sample sample = random_sample(random);
    sample.weight = 1;
    table.take({&sample, 1});
  }
  std::vector<RttCell> cells;
  table.move_to(cells);
  EXPECT_EQ(cells.size(), 100u);
  for (const RttCell& cell : cells) weight += cell.weight;
  EXPECT_EQ(weight + static_cast<double>(table.left_out()), 10'000);
  EXPECT_EQ(table.samples(), 10'000u);
}

}  // namespace
}  // namespace sojourn
