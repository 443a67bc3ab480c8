#include "oneway/cnf/flow_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>

#include "oneway/cnf/moment.h"
#include "oneway/test_flows.h"
#include "wire/summary.h"

namespace sojourn {
namespace {

using namespace std::chrono_literals;

constexpr FlowCache::Options small{
    .memory_bytes = 64 << 10, .active_timeout = 30s, .inactive_timeout = 10s};

std::vector<FlowRecord> records_of(const std::vector<ObservedPacket>& packets,
                                   const FlowCache::Options& options = small) {
  FlowCache cache{options};
  std::vector<FlowRecord> records;
  for (const ObservedPacket& packet : packets) cache.add({&packet, 1}, records);
  cache.flush(records);
  EXPECT_EQ(cache.expired().total(), records.size());
  return records;
}

TEST(FlowCache, RemembersBothEndsOfAFlow) {
  const auto records =
      records_of({test_packet(1, 0s, 11, 100, tcp_syn), test_packet(1, 1s, 12, 50, tcp_ack),
                  test_packet(2, 1s, 21), test_packet(1, 3s, 13, 1500, tcp_push)});
  ASSERT_EQ(records.size(), 2u);
  const FlowRecord& one = records[records[0].packets == 3 ? 0 : 1];
  EXPECT_EQ(one.key, test_flow_key(1));
  EXPECT_EQ(one.packets, 3u);
  EXPECT_EQ(one.bytes, 1650u);
  EXPECT_EQ(one.first, test_time(0s));
  EXPECT_EQ(one.last, test_time(3s));
  EXPECT_EQ(one.first_label, 11u);
  EXPECT_EQ(one.last_label, 13u);
  EXPECT_EQ(one.tcp_flags, tcp_syn | tcp_ack | tcp_push);
  EXPECT_EQ(one.expiry, Expiry::end_of_input);
}

TEST(FlowCache, FinAndResetEndARecordWithThem) {
  for (const TcpFlag flag : {tcp_fin, tcp_rst}) {
    const auto records = records_of({test_packet(1, 0s, 11), test_packet(1, 1s, 12, 100, flag),
                                     test_packet(1, 2s, 13), test_packet(2, 2s, 21, 100, flag)});
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[0].packets, 2u);
    EXPECT_EQ(records[0].last_label, 12u);
    EXPECT_EQ(records[0].expiry, Expiry::closed);
    EXPECT_EQ(records[1].expiry, Expiry::closed);  // a flow of one packet that is its last
    EXPECT_EQ(records[2].first_label, 13u);
  }
}

TEST(FlowCache, TimeoutsDivideAFlow) {
  const auto paused =
      records_of({test_packet(1, 0s, 11), test_packet(1, 10s, 12), test_packet(1, 20s + 1ns, 13)});
  ASSERT_EQ(paused.size(), 2u);
  EXPECT_EQ(paused[0].packets, 2u);
  EXPECT_EQ(paused[0].expiry, Expiry::inactive);
  const auto lasting =
      records_of({test_packet(1, 0s, 1), test_packet(1, 9s, 2), test_packet(1, 18s, 3),
                  test_packet(1, 27s, 4), test_packet(1, 30s, 5), test_packet(1, 31s, 6)});
  ASSERT_EQ(lasting.size(), 2u);
  EXPECT_EQ(lasting[0].packets, 5u);
  EXPECT_EQ(lasting[0].expiry, Expiry::active);
  EXPECT_EQ(lasting[1].first_label, 6u);
}

/// The record is exported even if no packet comes: within two rounds of the clock hand.
TEST(FlowCache, WhatIsOverLeavesWithoutBeingAsked) {
  FlowCache cache{small};
  std::vector<FlowRecord> records;
  for (std::uint32_t second = 0; second <= 30; ++second) {
    const ObservedPacket packet = test_packet(second ? 2 : 1, Duration{second * 1s}, second);
    cache.add({&packet, 1}, records);
  }
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key, test_flow_key(1));
  EXPECT_EQ(records[0].expiry, Expiry::inactive);
}

TEST(FlowCache, AFullRowCostsTheQuietestFlow) {
  FlowCache cache{{.memory_bytes = 1}};  // one row of four
  std::vector<FlowRecord> records;
  for (std::uint32_t flow = 1; flow <= 4; ++flow) {
    const ObservedPacket packet = test_packet(flow, flow * 1s);
    cache.add({&packet, 1}, records);
  }
  const ObservedPacket again = test_packet(1, 5s), fifth = test_packet(5, 6s);
  cache.add({&again, 1}, records);
  cache.add({&fifth, 1}, records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key, test_flow_key(2));
  EXPECT_EQ(records[0].expiry, Expiry::cache_full);
  EXPECT_EQ(cache.expired()[Expiry::cache_full], 1u);
}

TEST(FlowCache, OrderWithinAFlowDoesNotMatter) {
  const auto records =
      records_of({test_packet(1, 2s, 12), test_packet(1, 1s, 11), test_packet(1, 3s, 13)});
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].first, test_time(1s));
  EXPECT_EQ(records[0].first_label, 11u);
  EXPECT_EQ(records[0].last_label, 13u);
}

/// With enough room, batches of any size give the same records as a map.
TEST(FlowCache, AgreesWithAMapOfFlows) {
  std::mt19937_64 random{3};
  FlowCache cache{{.memory_bytes = 8 << 20, .active_timeout = 30s, .inactive_timeout = 3s}};
  std::vector<FlowRecord> records, expected;
  std::map<FlowKey, FlowRecord> open;
  std::map<FlowKey, std::map<std::int64_t, std::uint64_t>> moments;
  const auto closed = [&](FlowRecord record) {
    for (const auto& [moment, packets] : moments[record.key])
      record.moment_squares += packets * packets;
    moments.erase(record.key);
    expected.push_back(record);
  };
  std::vector<ObservedPacket> batch;
  Duration now{};
  for (int i = 0; i < 200'000; ++i) {
    now += Duration{static_cast<std::int64_t>(random() % 2'000'000)};
    const auto flow = static_cast<std::uint32_t>(random() % 2000 * (random() % 2));
    const std::uint8_t flags = random() % 50 ? 0 : tcp_fin;
    const ObservedPacket packet =
        test_packet(flow, now, static_cast<std::uint32_t>(random()), 40, flags);
    batch.push_back(packet);
    auto [place, is_new] = open.try_emplace(packet.key);
    FlowRecord& record = place->second;
    if (!is_new && (packet.time - record.last > 3s || packet.time - record.first > 30s)) {
      record.expiry = packet.time - record.last > 3s ? Expiry::inactive : Expiry::active;
      closed(std::exchange(record, {}));
    }
    if (record.packets == 0)
      record = {.key = packet.key, .first = packet.time, .first_label = packet.label};
    ++record.packets;
    ++moments[packet.key][to_ns(packet.time) / 16'777'216];
    record.bytes += packet.bytes;
    record.tcp_flags |= flags;
    record.last = packet.time;
    record.last_label = packet.label;
    if (flags) {
      record.expiry = Expiry::closed;
      closed(record);
      open.erase(place);
    }
    if (batch.size() == 1 + random() % FlowCache::max_batch ||
        batch.size() == FlowCache::max_batch) {
      cache.add(batch, records);
      batch.clear();
    }
  }
  cache.add(batch, records);
  cache.flush(records);
  for (auto& [key, record] : open) closed(record);
  EXPECT_EQ(cache.expired()[Expiry::cache_full], 0u);

  // When a timeout is detected is unspecified, and so is its reason at the end of the input.
  const auto in_order = [](std::vector<FlowRecord>& list) {
    for (FlowRecord& record : list)
      record.expiry = record.expiry == Expiry::closed ? Expiry::closed : Expiry::active;
    std::ranges::sort(list, [](const FlowRecord& a, const FlowRecord& b) {
      return a.key != b.key ? a.key < b.key : a.first < b.first;
    });
  };
  in_order(records);
  in_order(expected);
  ASSERT_EQ(records.size(), expected.size());
  for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(records[i], expected[i]) << i;
}

TEST(FlowCache, LosesNoPacketWhenItIsMuchTooSmall) {
  FlowCache cache{{.memory_bytes = 10'000}};
  EXPECT_LE(cache.memory_bytes(), 10'000u);
  std::vector<FlowRecord> records;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    const ObservedPacket packet = test_packet(i * 7919 % 3000, i * 1us);
    cache.add({&packet, 1}, records);
  }
  cache.flush(records);
  std::uint64_t packets = 0;
  for (const FlowRecord& record : records) packets += record.packets;
  EXPECT_EQ(packets, 50'000u);
  EXPECT_GT(cache.expired()[Expiry::cache_full], 1000u);
}

TEST(FlowCache, CountsThePacketsOfEachMoment) {
  FlowCache cache{{.memory_bytes = 1 << 16}};
  std::vector<FlowRecord> records;
  // 2^24 ns are 16.8 ms: three packets at once, one 20 ms later, two half a second later.
  const std::int64_t begin = (to_ns(test_time(0s)) >> 24) + 1;
  const Timestamp start = timestamp_from_ns(begin << 24);
  for (const Duration since : {0us, 10us, 20us, 20'000us, 500'000us, 500'010us}) {
    const ObservedPacket packet = test_packet(1, difference(start + since, test_time(0s)));
    cache.add({&packet, 1}, records);
  }
  cache.flush(records);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].moment_squares, 9u + 1 + 4);
  EXPECT_DOUBLE_EQ(effective_moments(records[0]), 36.0 / 14);
  EXPECT_EQ(records[0].in_moment, 0u) << "of the cache's own";
}

TEST(Moments, AreAtLeastOneAndAtMostThePackets) {
  FlowRecord record{.key = {}, .packets = 5, .first = test_time(0s), .last = test_time(9s)};
  record.moment_squares = 5;
  EXPECT_DOUBLE_EQ(effective_moments(record), 5);
  record.moment_squares = 25;
  EXPECT_DOUBLE_EQ(effective_moments(record), 1);
  record.moment_squares = 0;
  EXPECT_DOUBLE_EQ(effective_moments(record), 2) << "not known: a train at each end";
  record.last = record.first;
  EXPECT_DOUBLE_EQ(effective_moments(record), 1);
}

}  // namespace
}  // namespace sojourn
