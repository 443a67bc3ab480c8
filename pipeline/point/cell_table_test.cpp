#include "pipeline/point/cell_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "core/flow_tag.h"
#include "estimate/distribution/log_histogram.h"
#include "naming/group_choice.h"
#include "naming/stored_group.h"

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

Sample sample_at(std::int64_t ns, const char* responder) {
  Sample sample;
  sample.time = timestamp_from_ns(ns);
  sample.delay = 5ms;
  sample.responder = *IpAddress::parse(responder);
  return sample;
}
std::vector<RttCell> cells_of(const CellOptions& options, std::vector<Sample> samples) {
  CellTable table{options};
  table.take(samples);
  std::vector<RttCell> cells;
  table.move_to(cells);
  return cells;
}

TEST(CellTable, AnIpv6PrefixIsTwiceAsLong) {
  const auto cell = [](std::size_t length) {
    return cells_of({.slice = 10s, .prefix_length = length}, {sample_at(0, "2001:db8:1:2:3:4:5:6")})
        .at(0);
  };
  EXPECT_EQ(cell(24).prefix_length, 48);
  EXPECT_EQ(cell(24).prefix, *IpAddress::parse("2001:db8:1::"));
  EXPECT_EQ(cell(64).prefix_length, 128) << "the whole address";
  EXPECT_EQ(cell(64).prefix, *IpAddress::parse("2001:db8:1:2:3:4:5:6"));
  EXPECT_EQ(cell(100).prefix_length, 128) << "and no more";
  EXPECT_EQ(cell(0).prefix_length, 0) << "all traffic is one cell, whatever its version";
  EXPECT_EQ(cell(0).prefix, IpAddress{});
}

TEST(CellTable, AHostIsAWholeAddressOfEitherVersion) {
  for (const auto& [address, length] : {std::pair{"192.0.2.77", 32}, {"2001:db8::77", 128}}) {
    const auto cell =
        cells_of({.slice = 10s, .prefix_length = GroupChoice::host}, {sample_at(0, address)}).at(0);
    EXPECT_EQ(cell.prefix_length, length);
    EXPECT_EQ(cell.prefix, *IpAddress::parse(address));
  }
}

TEST(CellTable, SlicesBeginAtMultiplesOfTheirLengthAlsoBefore1970) {
  for (const auto& [ns, begin] : {std::pair{std::int64_t{0}, 0},
                                  {9'999'999'999, 0},
                                  {10'000'000'000, 10},
                                  {-1, -10},
                                  {-10'000'000'000, -10}})
    EXPECT_EQ(cells_of({.slice = 10s}, {sample_at(ns, "192.0.2.1")}).at(0).slice,
              timestamp_from_ns(begin * std::int64_t{1'000'000'000}))
        << ns;
}

TEST(CellTable, SamplesOfUnknownFlowsAreEachAFlow) {
  const std::vector<Sample> strangers(2'000, sample_at(0, "192.0.2.1"));
  EXPECT_EQ(cells_of({.slice = 10s}, strangers).size(), FlowTag::groups) << "in every group";
  std::vector<Sample> friends = strangers;
  for (Sample& sample : friends) sample.flow = 7;
  const auto cells = cells_of({.slice = 10s}, friends);
  ASSERT_EQ(cells.size(), 1u);
  EXPECT_EQ(cells[0].weight, 2'000);
  EXPECT_EQ(cells[0].flow_marks, std::uint64_t{1} << FlowTag::of(7).mark());
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

TEST(CellTable, KeepsPortsAndFlowsApart) {
  const auto names = [](std::size_t kept, const char* responder) {
    CellTable table{{.slice = 10s, .prefix_length = kept}};
    Sample sample;
    sample.requester = *IpAddress::parse(
        kept == GroupChoice::flow && *responder == '2' ? "2001:db8::1" : "192.0.2.1");
    sample.responder = *IpAddress::parse(responder);
    sample.requester_port = 50'000;
    sample.responder_port = 443;
    table.take({&sample, 1});
    std::vector<RttCell> cells;
    table.move_to(cells);
    return group_name({cells.at(0).prefix, cells.at(0).prefix_length});
  };
  EXPECT_EQ(names(GroupChoice::port, "198.51.100.1"), "port 443");
  EXPECT_EQ(names(GroupChoice::flow, "198.51.100.1"), "192.0.2.1:50000 > 198.51.100.1:443");
  EXPECT_EQ(names(GroupChoice::flow, "2001:db8::2"), "2001:db8::2/128");
  EXPECT_EQ(names(GroupChoice::host, "198.51.100.1"), "198.51.100.1/32");
}

}  // namespace
}  // namespace sojourn
