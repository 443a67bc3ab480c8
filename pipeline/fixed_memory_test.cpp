// The fixed-memory tables behind the whole pipeline: right on average, and within their memory.

#include <gtest/gtest.h>

#include <cmath>

#include "pipeline/rtt_pipeline.h"
#include "pipeline/test_source.h"

namespace sojourn {
namespace {

using namespace test;

const std::atomic<bool> never{false};
constexpr std::size_t memory = 8192;

RttOptions with_table(TableKind kind, std::uint64_t seed, unsigned threads,
                      bool all_connections = false) {
  RttOptions options;
  options.kinds = KindSet::none();
  options.kinds.add(Kind::tcp);
  options.seed = seed;
  options.threads = threads;
  TableWishes wishes{.kind = kind};
  if (kind != TableKind::exact) wishes.memory_bytes = memory;
  wishes.only_table = all_connections;
  options.table = choose_table(wishes).value();
  return options;
}

struct Totals {
  double weight = 0;
  double samples = 0;
  double ambiguous = 0;
};

Totals totals(std::span<const StoredPacket> traffic, const RttOptions& options) {
  MemorySource source{traffic, 4096, true};
  RttPipeline pipeline{options};
  pipeline.run(source, never);
  if (options.table.connection_bytes > 0) {
    EXPECT_LE(pipeline.memory().table_bytes + pipeline.memory().connection_bytes, memory);
  }
  const Distribution& tcp = pipeline.measurement().pooled(Kind::tcp);
  return {tcp.total_weight(), static_cast<double>(tcp.count()),
          static_cast<double>(pipeline.measurement().counters(Kind::tcp).ambiguous)};
}

class FixedMemory : public testing::TestWithParam<std::tuple<TableKind, unsigned>> {};

/// Sums over hash seeds of one traffic: mean minus truth, in standard errors.  Beyond 7 an unbiased
/// table comes with probability 1e-10 (t distribution, 39 degrees of freedom: 2e-8); the seeds are
/// fixed.  A table that has lost the first copy of a request cannot know that the second is one, so
/// the pairs that exact leaves out as ambiguous may come on top (docs/design/tables.md).  So may
/// copies of what a connection has sent that was forgotten (there is room for a dozen), and that
/// exact knows for copies without counting them: about one in a hundred here.
/// The twin counts samples instead of adding their weights, and must lie far off.
TEST_P(FixedMemory, EstimatesTheTotalWithoutBias) {
  const auto [kind, threads] = GetParam();
  const auto traffic = mixed_traffic(30'000, 5);
  const auto [truth, all, ambiguous] = totals(traffic, with_table(TableKind::exact, 1, 1));
  ASSERT_GT(truth, 2000);
  ASSERT_LT(ambiguous, 0.1 * truth);

  constexpr int seeds = 40;
  double sum = 0, squares = 0, samples = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Totals found =
        totals(traffic, with_table(kind, static_cast<std::uint64_t>(seed), threads));
    sum += found.weight;
    squares += found.weight * found.weight;
    samples += found.samples;
  }
  const double mean = sum / seeds;
  const double error = std::sqrt((squares / seeds - mean * mean) / (seeds - 1));
  EXPECT_GT(mean, truth - 7 * error) << "truth " << truth << ", error " << error;
  EXPECT_LT(mean, 1.01 * truth + ambiguous + 7 * error) << "truth " << truth << ", error " << error;
  EXPECT_GT(truth - samples / seeds, 7 * error) << "the twin: as if every pair had been kept";
}

/// Where all connections are remembered nothing comes on top but what exact calls ambiguous: the
/// one in a hundred above is of connections that were forgotten, not of the tables.
TEST(FixedMemoryOfTables, HasNoBiasOfItsOwnWhereAllConnectionsAreRemembered) {
  const auto traffic = mixed_traffic(30'000, 5);
  const auto [truth, all, ambiguous] = totals(traffic, with_table(TableKind::exact, 1, 1));
  for (const TableKind kind : {TableKind::leased, TableKind::tailored}) {
    constexpr int seeds = 40;
    double sum = 0, squares = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      const Totals found =
          totals(traffic, with_table(kind, static_cast<std::uint64_t>(seed), 1, true));
      sum += found.weight;
      squares += found.weight * found.weight;
    }
    const double mean = sum / seeds;
    const double error = std::sqrt((squares / seeds - mean * mean) / (seeds - 1));
    EXPECT_GT(mean, truth - 7 * error) << name_of(kind) << " truth " << truth << ", " << error;
    EXPECT_LT(mean, truth + ambiguous + 7 * error) << name_of(kind) << " truth " << truth;
    RecordProperty(std::string{name_of(kind)}, std::to_string(mean / truth));
  }
}

/// A fridge gives no weight to a pair that survived more than 16 lifetimes: it says so instead, by
/// kind.  Echoes that the coins refuse are refused however often they come, and each time the ones
/// that wait grow older.
TEST(FixedMemoryOfTables, TellsOfPairsThatSurvivedTooLongForAWeight) {
  RttOptions options;
  options.seed = 1;
  options.table =
      choose_table({.kind = TableKind::fridge, .memory_bytes = 4096, .entry_probability = 0.5})
          .value();
  RttPipeline pipeline{options};
  std::int64_t now = 1'700'000'000'000'000'000;
  const auto send_all = [&](bool reply) {
    for (std::uint16_t sequence = 0; sequence < 40; ++sequence) {
      const Ends ends = reply ? Ends{}.swapped() : Ends{};
      const Bytes bytes =
          ethernet(EtherType::ipv4, ipv4(ends, IpProtocol::icmp, echo(reply ? 0 : 8, 7, sequence)));
      Packet packet = packet_of(bytes);
      packet.time = timestamp_from_ns(now += 300'000);
      pipeline.process({&packet, 1});
    }
  };
  // A round of 12 ms is too long for packets captured twice, and all of them end before the expiry.
  for (int i = 0; i < 600; ++i) send_all(false);
  EXPECT_EQ(pipeline.measurement().counters(Kind::icmp).left_out[LeftOut::too_old], 0u);
  send_all(true);
  const std::uint64_t late = pipeline.measurement().counters(Kind::icmp).left_out[LeftOut::too_old];
  EXPECT_GT(late, 5u);
  EXPECT_LT(late, 35u);
  EXPECT_EQ(pipeline.measurement().counters(Kind::dns).left_out[LeftOut::too_old], 0u);
  EXPECT_EQ(pipeline.take_interval().measurement.counters(Kind::icmp).left_out[LeftOut::too_old],
            late);
}

INSTANTIATE_TEST_SUITE_P(Tables, FixedMemory,
                         testing::Combine(testing::Values(TableKind::fridge, TableKind::fridges,
                                                          TableKind::leased, TableKind::tailored),
                                          testing::Values(1u, 2u)));

}  // namespace
}  // namespace sojourn
