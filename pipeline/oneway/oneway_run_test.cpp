#include "pipeline/oneway/oneway_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pipeline/oneway/oneway_doubts.h"
#include "pipeline/oneway/oneway_groups.h"
#include "pipeline/oneway/test_two_points.h"

namespace sojourn {
namespace {

using namespace test;
using namespace std::chrono_literals;

const std::atomic<bool> never{false};

OnewayRunOptions with_method(std::string_view name) {
  OnewayRunOptions options;
  options.method = oneway_method_named(name);
  options.setup.options.seed = 7;
  return options;
}

OnewayMeasurement pulled(const TestTwoPoints& traffic, const OnewayRunOptions& options,
                         DelaySink* sink = nullptr) {
  auto run = OnewayRun::make(options, sink);
  EXPECT_TRUE(run);
  MemorySource first{traffic.first, 100}, last{traffic.last, 77};
  (*run)->run(first, last, never, [] {});
  return (*run)->finish();
}

/// Half a second's packets of one point, then of the other, as live points might push them.
OnewayMeasurement pushed(const TestTwoPoints& traffic, const OnewayRunOptions& options) {
  auto run = OnewayRun::make(options);
  EXPECT_TRUE(run);
  const auto first = packets_of(traffic.first), last = packets_of(traffic.last);
  std::size_t f = 0, l = 0;
  for (std::int64_t now = two_points_start_ns; f < first.size() || l < last.size();
       now += 50'000'000) {
    const auto until = [&](const std::vector<Packet>& packets, std::size_t at) {
      std::size_t end = at;
      while (end < packets.size() && to_ns(packets[end].time) < now) ++end;
      return std::span{packets}.subspan(at, end - at);
    };
    const auto of_first = until(first, f), of_last = until(last, l);
    (*run)->process(Point::first, of_first);
    (*run)->process(Point::last, of_last);
    f += of_first.size(), l += of_last.size();
  }
  (*run)->ended(Point::first);
  (*run)->ended(Point::last);
  return (*run)->finish();
}

TEST(OnewayRun, FindsTheKnownDelaysAndLosses) {
  const TestTwoPoints traffic;
  const OnewayMeasurement measured = pulled(traffic, with_method("exact"));
  EXPECT_EQ(measured.inputs[0].packets, 2'000u);
  EXPECT_EQ(measured.inputs[1].packets, 2'000u - traffic.lost);
  EXPECT_EQ(measured.result.lost, traffic.lost);
  EXPECT_EQ(measured.result.flows.size(), 8u);
  EXPECT_EQ(measured.delays.count(), 2'000u - traffic.lost);
  EXPECT_EQ(*measured.delays.min(), 5ms);
  EXPECT_EQ(*measured.delays.max(), 5'030us);
  EXPECT_FALSE(measured.common);
  EXPECT_FALSE(measured.empty());
}

TEST(OnewayRun, StepsTakeASourceToItsEnd) {
  const TestTwoPoints traffic;
  auto run = OnewayRun::make(with_method("exact"));
  ASSERT_TRUE(run);
  MemorySource first{traffic.first, 100}, last{traffic.last, 100};
  bool more_of_first = true, more_of_last = true;
  for (int steps = 0; more_of_first || more_of_last; ++steps) {
    ASSERT_LT(steps, 100);
    if (more_of_first) more_of_first = (*run)->step(Point::first, first);
    if (more_of_last) more_of_last = (*run)->step(Point::last, last);
  }
  (*run)->ended(Point::first);
  (*run)->ended(Point::last);
  const OnewayMeasurement measured = (*run)->finish();
  EXPECT_EQ(measured.inputs[0].packets, 2'000u);
  EXPECT_EQ(measured.result.lost, traffic.lost);
  EXPECT_EQ(measured.delays.count(), 2'000u - traffic.lost);
}

TEST(OnewayRun, PushedPacketsMeasureAsThoseOfTwoSources) {
  const TestTwoPoints traffic;
  for (const std::string_view name : {"exact", "multiflow", "lda"}) {
    const OnewayMeasurement one = pulled(traffic, with_method(name)),
                            other = pushed(traffic, with_method(name));
    EXPECT_EQ(one.result.lost, other.result.lost) << name;
    EXPECT_EQ(one.result.counters, other.result.counters) << name;
    EXPECT_EQ(one.delays.count(), other.delays.count()) << name;
    EXPECT_EQ(one.delays.mean(), other.delays.mean()) << name;
    ASSERT_EQ(one.result.total.has_value(), other.result.total.has_value()) << name;
    if (one.result.total) {
      EXPECT_EQ(one.result.total->mean_ns, other.result.total->mean_ns) << name;
    }
    ASSERT_EQ(one.result.flows.size(), other.result.flows.size()) << name;
    for (std::size_t i = 0; i < one.result.flows.size(); ++i) {
      EXPECT_EQ(one.result.flows[i].key, other.result.flows[i].key) << name;
      EXPECT_EQ(one.result.flows[i].mean_ns, other.result.flows[i].mean_ns) << name;
    }
    EXPECT_EQ(one.inputs[1].last, other.inputs[1].last) << name;
  }
}

TEST(OnewayRun, TakesTheOffsetOutOfTheLastPointsTimes) {
  OnewayRunOptions options = with_method("exact");
  options.correction.offset = 1h;
  const OnewayMeasurement measured = pulled(TestTwoPoints{2'000, 3'600'000'000'000}, options);
  EXPECT_EQ(*measured.delays.min(), 5ms);
  EXPECT_EQ(*measured.inputs[0].first + 5ms, *measured.inputs[1].first);
}

TEST(OnewayRun, HandsEveryDelayToTheSinkInBatches) {
  struct Counting final : DelaySink {
    std::uint64_t calls = 0, delays = 0, unnamed = 0;
    void take(const OnewayMethod& method, std::span<const DelaySample> batch) override {
      ++calls;
      delays += batch.size();
      for (const DelaySample& delay : batch) unnamed += method.flow(delay.flow) == nullptr;
    }
  } sink;
  const OnewayMeasurement measured = pulled(TestTwoPoints{}, with_method("exact"), &sink);
  EXPECT_EQ(sink.delays, measured.delays.count());
  EXPECT_LT(sink.calls, sink.delays / 10);
  EXPECT_EQ(sink.unnamed, 0u);
}

TEST(OnewayRun, GroupsHaveTheirDelaysAndTheirLoss) {
  OnewayRunOptions options = with_method("exact");
  options.grouping = *Grouping::parse("flow");
  const TestTwoPoints traffic;
  const OnewayMeasurement measured = pulled(traffic, options);
  const auto groups = groups_of(*options.grouping, measured);
  ASSERT_EQ(groups.size(), 8u);
  std::uint64_t sent = 0, lost = 0, delays = 0;
  for (const GroupDelay& group : groups) {
    sent += group.sent, lost += group.lost, delays += group.delays->count();
    EXPECT_GE(groups.front().delays->count(), group.delays->count());
  }
  EXPECT_EQ(sent, 2'000u);
  EXPECT_EQ(lost, traffic.lost);
  EXPECT_EQ(delays, 2'000u - traffic.lost);
}

TEST(OnewayGroups, EitherPortTellsFlowsApart) {
  const Grouping by_flow = *Grouping::parse("flow");
  const FlowKey flow;
  FlowKey other_source, other_destination;
  ++other_source.source_port;
  ++other_destination.destination_port;
  EXPECT_NE(group_of(by_flow, flow), group_of(by_flow, other_source));
  EXPECT_NE(group_of(by_flow, flow), group_of(by_flow, other_destination));
}

TEST(OnewayRun, AMethodWithoutPacketsIsToldWhatThePacketsSay) {
  const OnewayMeasurement measured = pulled(TestTwoPoints{}, with_method("lda"));
  ASSERT_TRUE(measured.common);
  EXPECT_GT(measured.common->count, 1'900u);
  EXPECT_GE(measured.common->median, 5ms);
  EXPECT_LE(measured.common->median, 5'030us);
  EXPECT_EQ(measured.common->negative_share, 0);
  EXPECT_TRUE(doubts_of_common(*measured.common, 10s).empty());

  TestTwoPoints unrelated;
  unrelated.last = TestTwoPoints{2'000, 0, 1'000'000}.last;
  const OnewayMeasurement nothing = pulled(unrelated, with_method("lda"));
  EXPECT_EQ(nothing.common->count, 0u);
  EXPECT_TRUE(nothing.empty());
}

using What = OnewayDoubt::What;

std::vector<What> kinds_of(const std::vector<OnewayDoubt>& doubts) {
  std::vector<What> kinds;
  for (const OnewayDoubt& doubt : doubts) kinds.push_back(doubt.what);
  return kinds;
}

TEST(OnewayDoubts, OfCommonPackets) {
  EXPECT_EQ(kinds_of(doubts_of_common({}, 10s)), std::vector{What::different_traffic});
  EXPECT_EQ(kinds_of(doubts_of_common({100, 11s, 0}, 10s)), std::vector{What::clocks_apart});
  EXPECT_EQ(kinds_of(doubts_of_common({100, -11s, 1}, 10s)), std::vector{What::clocks_apart});
  EXPECT_EQ(kinds_of(doubts_of_common({100, -5ms, 0.96}, 10s)), std::vector{What::swapped});
  EXPECT_TRUE(doubts_of_common({100, -5ms, 0.9}, 10s).empty());
  EXPECT_TRUE(doubts_of_common({100, 5ms, 0}, 10s).empty());
}

TEST(OnewayDoubts, NoneAboutCapturesThatBelongTogether) {
  EXPECT_TRUE(doubts_of_figures(pulled(TestTwoPoints{}, with_method("exact")), 1).empty());
}

TEST(OnewayDoubts, SwappedCaptures) {
  TestTwoPoints swapped;
  std::swap(swapped.first, swapped.last);
  const auto doubts = doubts_of_figures(pulled(swapped, with_method("exact")), 1);
  ASSERT_EQ(kinds_of(doubts), std::vector{What::swapped});
  EXPECT_LT(doubts[0].usual, -5ms);
  EXPECT_GE(doubts[0].behind, 5ms);
}

TEST(OnewayDoubts, FewPacketsInBoth) {
  TestTwoPoints mixed;
  const TestTwoPoints others{2'000, 0, 1'000'000};
  for (std::size_t i = 200; i < mixed.last.size(); ++i) mixed.last[i] = others.last[i];
  const auto doubts = doubts_of_figures(pulled(mixed, with_method("exact")), 1);
  ASSERT_EQ(kinds_of(doubts), std::vector{What::few_in_both});
  EXPECT_EQ(doubts[0].count, 200u);
  EXPECT_EQ(doubts[0].of, mixed.last.size());
  // With sampling few are expected in both.
  EXPECT_TRUE(doubts_of_figures(pulled(mixed, with_method("exact")), 0.1).empty());
}

TEST(OnewayMethods, HaveNamesOfTheirOwnAndErrorsWithoutOptions) {
  for (const MethodChoice& method : oneway_methods()) {
    EXPECT_EQ(oneway_method_named(method.name), &method);
    EXPECT_FALSE(method.summary.empty());
    OnewaySetup wrong;
    wrong.options.sampling = 0.5;
    wrong.cnf.cache.active_timeout = 1s;
    wrong.cnf.cache.inactive_timeout = 2s;
    if (const auto made = method.make(wrong); !made) {
      EXPECT_EQ(made.error().message.find("--"), std::string::npos) << made.error().message;
    }
  }
  EXPECT_EQ(oneway_method_named("telepathy"), nullptr);
  EXPECT_FALSE(oneway_method_named("trajectory")->make({}));
  EXPECT_FALSE(oneway_method_named("rli-queue")->make({}));
  EXPECT_TRUE(oneway_method_named("exact")->make({}));
}

TEST(OnewayMethods, WhatIsRefusedCannotBeMade) {
  const auto refusal_of = [](std::string_view name, const OnewaySetup& setup) {
    const MethodChoice& method = *oneway_method_named(name);
    const auto refusal = method.refuse ? method.refuse(setup) : std::nullopt;
    const auto made = method.make(setup);
    EXPECT_EQ(made.has_value(), !refusal) << name;
    if (refusal && !made) {
      EXPECT_EQ(made.error().message, reason_of(*refusal));
    }
    return refusal;
  };
  OnewaySetup sampled;
  sampled.options.sampling = 0.5;
  sampled.capacity_bytes_a_second = 1e9;
  OnewaySetup impatient;
  impatient.cnf.cache.active_timeout = 1s;
  impatient.cnf.cache.inactive_timeout = 2s;
  using enum MethodRefusal;
  for (const std::string_view name : {"endpoint", "multiflow", "hybrid", "nearby"}) {
    EXPECT_EQ(refusal_of(name, impatient), active_timeout_too_short);
    EXPECT_EQ(refusal_of(name, sampled), std::nullopt);
  }
  for (const std::string_view name : {"rli", "rli-l", "rli-queue"})
    EXPECT_EQ(refusal_of(name, sampled), references_sampled);
  EXPECT_EQ(refusal_of("rli-queue", {}), capacity_unknown);
  EXPECT_EQ(refusal_of("trajectory", {}), trajectory_of_all_packets);
  EXPECT_EQ(refusal_of("trajectory", sampled), std::nullopt);
  EXPECT_EQ(refusal_of("lda", sampled), lda_sampled);
  EXPECT_EQ(refusal_of("exact", sampled), std::nullopt);
}

TEST(OnewayMethods, AreListedByWhatTheyDo) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(oneway_method_names([](const MethodChoice& m) { return m.samples_packets; }),
            (Names{"exact", "trajectory"}));
  EXPECT_EQ(oneway_method_names([](const MethodChoice& m) { return !!m.joins_records; }),
            (Names{"endpoint", "multiflow", "hybrid", "nearby"}));
  EXPECT_EQ(oneway_method_names([](const MethodChoice& m) { return m.reads_references; }),
            (Names{"rli", "rli-l", "rli-queue"}));
  EXPECT_EQ(oneway_method_names([](const MethodChoice& m) { return m.reads_marks; }),
            Names{"marking"});
}

}  // namespace
}  // namespace sojourn
