#include "lab/recorder/traffic_presets.h"

#include <gtest/gtest.h>

namespace sojourn {
namespace {

using namespace std::chrono_literals;

TEST(TrafficPresets, BurstsAreThoseOfTheBorderLink) {
  const QueryLoadOptions bursts = query_load_of({.model = "bursts"});
  EXPECT_EQ(bursts.requests, 1'000'000u);
  EXPECT_NEAR(bursts.rate, 535'088, 1);
  EXPECT_EQ(bursts.rate, 6.1e6 / 11.4);  // to the last bit: captures are the same as ever
  EXPECT_EQ(bursts.answered, 0.13);
  EXPECT_EQ(bursts.burst_rate, 4);
  EXPECT_EQ(query_load_of({}).burst_rate, 1) << "fridge has none";
}

TEST(TrafficPresets, DurationSaysHowManyRequestsAtTheRate) {
  EXPECT_EQ(query_load_of({.rate = 500, .duration = 4s}).requests, 2'000u);
  EXPECT_EQ(query_load_of({.requests = 7}).requests, 7u);
  EXPECT_DOUBLE_EQ(query_load_of({.longest = 64ms}).longest_ms, 64);
}

TEST(TrafficPresets, BorderMixKeepsItsRateAndItsFlows) {
  const BorderMixOptions own = border_mix_of({.model = "isp"});
  EXPECT_EQ(own.packets, 1'000'000u);
  EXPECT_EQ(own.flows, 11'085u);
  EXPECT_DOUBLE_EQ(own.seconds, 1.1);
  const BorderMixOptions tenth = border_mix_of({.model = "isp", .packets = 100'000});
  EXPECT_EQ(tenth.flows, 1'109u);
  EXPECT_DOUBLE_EQ(tenth.seconds, 0.11);
  const BorderMixOptions longer = border_mix_of({.model = "isp", .duration = 11s});
  EXPECT_EQ(longer.packets, 10'000'000u);
  EXPECT_EQ(border_mix_of({.model = "isp", .packets = 10, .flows = 3}).flows, 3u);
}

TEST(TrafficPresets, TcpHasAHundredPacketsAFlow) {
  EXPECT_EQ(tcp_traffic_of({.model = "tcp"}).flows, 1'000u);
  EXPECT_EQ(tcp_traffic_of({.model = "tcp", .flows = 20}).packets, 2'000u);
  EXPECT_EQ(tcp_traffic_of({.model = "tcp", .packets = 5'000}).flows, 50u);
  EXPECT_EQ(tcp_traffic_of({.model = "tcp", .packets = 5}).flows, 1u);
  EXPECT_DOUBLE_EQ(tcp_traffic_of({.model = "tcp", .duration = 3s}).seconds, 3);
  EXPECT_DOUBLE_EQ(tcp_traffic_of({.model = "tcp", .loss = 0.01}).loss, 0.01);
}

TEST(TrafficPresets, EachModelIsItsOwn) {
  const auto is = [](auto* wanted, const char* name) {
    const auto made = make_traffic({.model = name, .requests = 10, .packets = 100});
    return made && dynamic_cast<decltype(wanted)>(made->get()) != nullptr;
  };
  EXPECT_TRUE(is(static_cast<BorderMix*>(nullptr), "isp"));
  EXPECT_TRUE(is(static_cast<TcpTraffic*>(nullptr), "tcp"));
  EXPECT_TRUE(is(static_cast<QueryLoad*>(nullptr), "bursts"));
  EXPECT_TRUE(is(static_cast<QueryLoad*>(nullptr), "fridge"));
  for (const char* const other : {"", "fridges", "chic"})
    EXPECT_FALSE(make_traffic({.model = other})) << other;
}

TEST(TrafficPresets, EveryModelIsForOnePointOrForTwo) {
  for (const ModelChoice& model : traffic_models()) {
    EXPECT_EQ(traffic_model_named(model.name), &model);
    EXPECT_NE(model.make != nullptr, model.backbone != nullptr) << model.name;
    EXPECT_EQ(model.make != nullptr, model.heeds_requests || model.heeds_packets) << model.name;
  }
  EXPECT_EQ(traffic_model_named("x"), nullptr);
  EXPECT_EQ(traffic_model_names([](const ModelChoice& m) { return m.backbone != nullptr; }),
            (std::vector<std::string_view>{"chic", "sanj", "ipls"}));
}

TEST(TrafficPresets, TwoPointsHaveTheirModelAtTheRateThatIsWished) {
  const TwoPointOptions own = two_points_of({});
  EXPECT_EQ(own.traffic.model.name, "CHIC");
  EXPECT_DOUBLE_EQ(own.traffic.seconds, 10);
  EXPECT_DOUBLE_EQ(own.traffic.scale * own.traffic.model.packets_per_second * 10, 100'000);
  EXPECT_EQ(own.loss, 0);
  EXPECT_EQ(own.reorder, 0);
  const TwoPointOptions wished = two_points_of(
      {.model = "ipls", .packets = 500, .duration = 2s, .loss = 0.1, .reorder = 0.2, .seed = 7},
      {.path = PathKind::red, .spikes = 0.3});
  EXPECT_EQ(wished.traffic.model.name, "IPLS");
  EXPECT_DOUBLE_EQ(wished.traffic.seconds, 2);
  EXPECT_DOUBLE_EQ(wished.traffic.scale * wished.traffic.model.packets_per_second * 2, 500);
  EXPECT_EQ(wished.loss, 0.1);
  EXPECT_EQ(wished.reorder, 0.2);
  EXPECT_EQ(wished.seed, 7u);
  EXPECT_EQ(wished.traffic.seed, 7u);
  EXPECT_EQ(wished.path, PathKind::red);
  EXPECT_EQ(wished.spikes, 0.3);
  EXPECT_EQ(two_points_of({.model = "sanj"}).traffic.model.name, "SANJ");
}

}  // namespace
}  // namespace sojourn
