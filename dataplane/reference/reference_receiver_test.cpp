// The receiver in the kernel against the same headers in this process.
#include "dataplane/reference/reference_receiver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>

#include "dataplane/reference/bpf_object.h"
#include "dataplane/reference/test_user_receiver.h"
#include "experiments/oneway/rli_trial.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

/// Ethernet, IPv4, ports and a payload; the IP packet may say that it is longer.
class Frame {
 public:
  Frame(const FlowKey& key, std::uint32_t ip_length, std::span<const std::byte> payload = {}) {
    put(12, 0x0800);
    put(14, 0x4500);
    put(16, ip_length);
    put(22, 64u << 8 | key.protocol);
    std::ranges::copy(std::as_bytes(key.source.bytes()), bytes_.begin() + 26);
    std::ranges::copy(std::as_bytes(key.destination.bytes()), bytes_.begin() + 30);
    put(34, key.source_port);
    put(36, key.destination_port);
    put(38, static_cast<std::uint32_t>(8 + payload.size()));
    std::ranges::copy(payload, bytes_.begin() + 42);
    size_ = std::max<std::size_t>(54, 42 + payload.size());
  }
  Packet at(std::int64_t time_ns) const {
    return {timestamp_from_ns(time_ns), bytes_.data(), static_cast<std::uint32_t>(size_),
            static_cast<std::uint32_t>(size_), LinkType::ethernet};
  }

 private:
  void put(std::size_t at, std::uint32_t value) {
    bytes_[at] = static_cast<std::byte>(value >> 8 & 0xff);
    bytes_[at + 1] = static_cast<std::byte>(value & 0xff);
  }
  std::array<std::byte, 64> bytes_{};
  std::size_t size_ = 0;
};

FlowKey reference_key() {
  return {*IpAddress::parse("192.0.2.1"), *IpAddress::parse("192.0.2.2"), 4747, 4747, 17};
}

TEST(ReferenceConfig, FlowsTakeNoMoreMemoryThanTheyAreGiven) {
  for (std::size_t memory = 1 << 16; memory < 1 << 26; memory += memory / 3) {
    const auto config = make_reference_config({.memory_bytes = memory});
    const std::size_t used =
        std::size_t{config.groups} * 2 * (sizeof(rp_group) + RP_WAYS * sizeof(rp_key));
    EXPECT_LE(used, memory);
    EXPECT_GT(2 * used, memory);
  }
  EXPECT_FALSE(make_reference_config({}).replay) << "the kernel has the time unless we bring it";
}

std::set<std::uint64_t> secret_words(std::uint64_t seed) {
  const auto config = make_reference_config({.seed = seed});
  std::set<std::uint64_t> words;
  for (const auto& sum : config.secrets.of) words.insert(std::begin(sum), std::end(sum));
  return words;
}

// Whoever knows them can choose flows that collide.
TEST(ReferenceConfig, EverySeedHasSecretsOfItsOwn) {
  const auto one = secret_words(1), other = secret_words(2);
  EXPECT_EQ(one.size(), std::size_t{2} * 2 * DP_PAIR_WORDS) << "words are alike";
  EXPECT_EQ(one, secret_words(1));
  EXPECT_TRUE(std::ranges::none_of(one, [&](std::uint64_t word) { return other.contains(word); }));
}

/// The first packets of a second of backbone traffic, reference packets among them.
TEST(ReferenceReceiver, CountsAsTheSameHeadersInThisProcess) {
  constexpr std::size_t packets = 20'000;
  const BackboneTrace traffic = backbone_traffic(
      {.model = BackboneModel::sanj(), .seconds = 1, .seed = 1, .cut_at_edges = true});
  const double drain = traffic.drain_rate(0.97, 1);
  const std::span some = std::span{traffic.packets}.first(packets);
  const RliPath path =
      inject(some, RedQueue{{.bytes_per_second = drain}, 1},
             ReferenceGenerator{{.scheme = Injection::every_n, .capacity_bytes_a_second = drain}});
  const ReferenceReceiverOptions options{
      .memory_bytes = 64 << 20, .capacity_bytes_a_second = drain, .sender = {}, .replay = true};
  auto kernel = ReferenceReceiver::load(options);
  if (!kernel) GTEST_SKIP() << kernel.error().message;
  test::UserReceiver here{options};

  constexpr std::int64_t epoch = 1'700'000'000'000'000'000;  // a time of 0 is none
  auto reference = path.references.begin();
  for (std::size_t i = 0; i < packets; ++i) {
    for (; reference != path.references.end() && reference->before <= i; ++reference) {
      if (reference->received_ns == lost_packet) continue;
      const auto sequence = static_cast<std::uint32_t>(reference - path.references.begin());
      const Timestamp sent = timestamp_from_ns(epoch + reference->sent_ns);
      const auto payload = encode(ReferencePacket{9, sequence, sent});
      here.reference(9, sequence, sent, timestamp_from_ns(epoch + reference->received_ns));
      ASSERT_TRUE(replay_at_tc(kernel->descriptor(), Frame{reference_key(), 48, payload}.at(
                                                         epoch + reference->received_ns)));
    }
    if (path.arrivals[i] == lost_packet) continue;
    const FlowKey key = lab_flow_key(some[i].flow);
    const std::uint32_t bytes = std::max(some[i].bytes, 40u);
    here.packets(key, timestamp_from_ns(epoch + path.arrivals[i]), bytes);
    ASSERT_TRUE(replay_at_tc(kernel->descriptor(), Frame{key, bytes}.at(epoch + path.arrivals[i])));
  }
  EXPECT_EQ(kernel->counters().packets, here.counters().packets);
  EXPECT_EQ(kernel->counters().references, here.counters().references);
  EXPECT_EQ(kernel->counters().before_first, here.counters().before_first);
  EXPECT_EQ(kernel->counters().no_room, 0u);
  EXPECT_GT(kernel->counters().references, 50u);

  kernel->turn();
  const auto found = kernel->take();
  const auto wanted = here.flows();
  ASSERT_EQ(found.size(), wanted.size());
  EXPECT_GT(found.size(), 1'000u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].key, wanted[i].key);
    ASSERT_EQ(found[i].packets, wanted[i].packets);
    ASSERT_EQ(found[i].estimated, wanted[i].estimated);
    // A process that changes its CPU has two records of a flow; each settles its own.
    ASSERT_NEAR(found[i].mean_ns, wanted[i].mean_ns, 1);
    ASSERT_NEAR(found[i].deviation_ns, wanted[i].deviation_ns, 1);
  }
  kernel->turn();
  EXPECT_TRUE(kernel->take().empty()) << "nothing came into the other table";
}

}  // namespace
}  // namespace sojourn
