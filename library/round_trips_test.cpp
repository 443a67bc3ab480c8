// As another program sees the library: only include/sojourn.

#include <gtest/gtest.h>
#include <sojourn/sojourn.h>

#include <string>
#include <vector>

#include "library/test_capture.h"

namespace {

using namespace sojourn;
using test::demo;

RoundTrips measured(const RoundTripOptions& options, RoundTrips::Consumer consumer = {}) {
  auto trips = RoundTrips::create(options, std::move(consumer));
  EXPECT_TRUE(trips);
  EXPECT_TRUE(trips->read({demo()}));
  return std::move(*trips);
}

TEST(RoundTrips, ReadsACapture) {
  const RoundTrips trips = measured({});
  EXPECT_EQ(trips.packets(), 2081u);
  const Distribution tcp = trips.distribution(Kind::tcp, Leg::server);
  EXPECT_EQ(tcp.samples(), 223u);
  EXPECT_NEAR(static_cast<double>(*tcp.quantile_ns(0.5)), 20.95e6, 0.1e6);
  EXPECT_LE(*tcp.min_ns(), *tcp.quantile_ns(0.5));
  EXPECT_LE(*tcp.quantile_ns(0.5), *tcp.max_ns());
  const auto interval = tcp.interval(0.5);
  ASSERT_TRUE(interval);
  EXPECT_LE(interval->low_ns, interval->delay_ns);
  EXPECT_GE(interval->high_ns, interval->delay_ns);
  EXPECT_EQ(trips.distribution(Kind::quic).samples(), 0u);
  EXPECT_FALSE(trips.distribution(Kind::quic).quantile_ns(0.5));
}

TEST(RoundTrips, CountsWhatBecameOfTheRequests) {
  const RoundTrips trips = measured({});
  const RequestCounts icmp = trips.requests(Kind::icmp);
  EXPECT_EQ(icmp.requests, 160u);
  EXPECT_EQ(icmp.ambiguous, 0u);
  EXPECT_EQ(icmp.unanswered, 0u);
  ASSERT_EQ(trips.skipped().size(), 1u);
  EXPECT_EQ(trips.skipped()[0].name, "not-paired");
}

TEST(RoundTrips, HandsOutEverySample) {
  std::vector<Sample> samples;
  const RoundTrips trips = measured({.kinds = {Kind::icmp}}, [&](std::span<const Sample> batch) {
    samples.insert(samples.end(), batch.begin(), batch.end());
  });
  ASSERT_EQ(samples.size(), 160u);
  double sum = 0;
  for (const Sample& sample : samples) {
    EXPECT_EQ(sample.kind, Kind::icmp);
    EXPECT_EQ(sample.leg, Leg::server);
    EXPECT_EQ(sample.weight, 1);
    EXPECT_EQ(sample.requester.version, sample.responder.version);
    sum += static_cast<double>(sample.delay_ns);
  }
  EXPECT_NEAR(sum / 160, *trips.distribution(Kind::icmp).mean_ns(), 1);
  EXPECT_NE(samples[0].requester.text(), samples[0].responder.text());
}

TEST(RoundTrips, GroupsByHost) {
  const RoundTrips trips = measured({.kinds = {Kind::icmp}, .group_by = "host"});
  const auto groups = trips.groups();
  ASSERT_EQ(groups.size(), 2u) << "IPv4 and IPv6";
  EXPECT_EQ(groups[0].kind, Kind::icmp);
  EXPECT_EQ(groups[0].leg, Leg::server);
  EXPECT_GE(groups[0].distribution.samples(), groups[1].distribution.samples());
  EXPECT_EQ(groups[0].distribution.samples() + groups[1].distribution.samples(), 160u);
}

TEST(RoundTrips, MeasuresPushedPackets) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  const auto packets = test::packets_of(bytes);
  trips->push(packets);
  trips->finish();
  auto read = RoundTrips::create({});
  ASSERT_TRUE(read && read->read({test::folder() + "ping.pcap"}));
  EXPECT_EQ(trips->packets(), packets.size());
  EXPECT_GT(read->distribution(Kind::icmp).samples(), 10u);
  EXPECT_EQ(trips->distribution(Kind::icmp).samples(), read->distribution(Kind::icmp).samples());
  EXPECT_EQ(trips->distribution(Kind::icmp).quantile_ns(0.9),
            read->distribution(Kind::icmp).quantile_ns(0.9));
}

TEST(RoundTrips, ADistributionDoesNotChangeAfterwards) {
  const std::string bytes = test::contents(test::folder() + "ping.pcap");
  const auto packets = test::packets_of(bytes);
  auto trips = RoundTrips::create({});
  ASSERT_TRUE(trips);
  trips->push(std::span{packets}.first(packets.size() / 2));
  const Distribution half = trips->distribution(Kind::icmp);
  const auto samples = half.samples();
  trips->push(std::span{packets}.subspan(packets.size() / 2));
  EXPECT_EQ(half.samples(), samples);
  EXPECT_GT(trips->distribution(Kind::icmp).samples(), samples);
}

TEST(RoundTrips, RefusesInOneLine) {
  const auto refused = [](const RoundTripOptions& options) {
    const auto trips = RoundTrips::create(options);
    return trips ? std::string{} : trips.error();
  };
  EXPECT_EQ(refused({.table = "oak"}), "there is no table 'oak'");
  EXPECT_NE(refused({.inside = {"nowhere"}}), "");
  EXPECT_NE(refused({.group_by = "colour"}), "");
  EXPECT_NE(refused({.threads = 0}), "");
  EXPECT_NE(refused({.expire_ns = -1}), "");
  auto trips = RoundTrips::create({});
  EXPECT_FALSE(trips->read({}));
  EXPECT_FALSE(trips->read({"/nonexistent.pcap"}));
  EXPECT_TRUE(trips->read({demo()}));
  EXPECT_FALSE(trips->read({demo()})) << "it has its packets";
  auto live = RoundTrips::create({});
  const auto heard = live->listen("no-such-interface", 0);
  ASSERT_FALSE(heard);
  EXPECT_NE(heard.error().find("no-such-interface"), std::string::npos) << heard.error();
}

TEST(Units, AreReadAsPeopleWriteThem) {
  EXPECT_EQ(*parse_size("64KiB"), 65536u);
  EXPECT_EQ(*parse_duration_ns("1.5ms"), 1'500'000);
  EXPECT_FALSE(parse_duration_ns("7"));
}

}  // namespace
