// What RLI's receiver in the kernel costs a packet, over a program that does nothing.
//
// The program steps through its flows by itself (rp_config::steps).  A reference packet before a
// pass over all flows makes every packet of the pass the first of its flow in a gap, which settles
// what the flow had waiting: one packet, as where flows are many, or two.  In a second pass without
// one they only add to their flow's sums.

#include "bench/kernel_references.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "dataplane/reference/bpf_object.h"
#include "dataplane/reference/reference_receiver.h"
#include "wire/headers/reference_packet.h"

namespace sojourn {
namespace {

using Bytes = std::vector<std::byte>;

/// Ethernet, IPv4 and UDP or TCP's ports around a payload.
Bytes datagram(unsigned protocol, std::span<const std::byte> payload) {
  const auto length = static_cast<unsigned>(28 + payload.size());
  Bytes bytes(14 + 28 + payload.size());
  const auto put = [&](std::size_t at, unsigned value) {
    bytes[at] = static_cast<std::byte>(value >> 8 & 0xff);
    bytes[at + 1] = static_cast<std::byte>(value & 0xff);
  };
  put(12, 0x0800);
  put(14, 0x4500);
  put(16, length);
  put(22, 64 << 8 | protocol);
  put(26, 0x0a00);
  put(28, 1);
  put(30, 0xc000);
  put(32, 0x0201);
  put(34, 40000);
  put(36, protocol == 17 ? 4747 : 443);
  put(38, protocol == 17 ? length - 20 : 0);
  std::ranges::copy(payload, bytes.begin() + 42);
  return bytes;
}

Bytes reference_frame(std::uint32_t sequence) {
  using namespace std::chrono;
  const auto now = time_point_cast<Duration>(system_clock::now());
  // Delays that change, so that gaps have slopes.
  const auto payload =
      encode(ReferencePacket{1, sequence, now - microseconds{100 + sequence % 7 * 10}});
  return datagram(17, payload);
}

struct ReferenceCosts {
  double empty = std::numeric_limits<double>::max(), alone = empty, first = empty, further = empty;
  std::uint64_t no_room = 0;
};

Result<ReferenceCosts> measure_references(unsigned flows, bool capacity, int rounds) {
  ReferenceReceiverOptions options;
  options.steps = flows;
  if (capacity) options.capacity_bytes_a_second = 1.25e9;
  const auto receiver = ReferenceReceiver::load(options);
  if (!receiver) return std::unexpected(receiver.error());
  const Bytes packet = datagram(6, Bytes(112));
  const unsigned pass = flows;
  ReferenceCosts costs;
  std::uint32_t sequence = 0;
  Error trouble;
  const auto reference = [&] {
    const auto sent = time_at_tc(receiver->descriptor(), reference_frame(sequence++), 1);
    if (!sent) trouble = sent.error();
  };
  const auto run = [&](int descriptor, double& least) {
    if (const auto time = time_at_tc(descriptor, packet, pass))
      least = std::min(least, *time);
    else
      trouble = time.error();
  };
  for (int round = 0; round < rounds + 1 && trouble.message.empty(); ++round) {
    if (round == 1) costs = {};  // flows were new, and had nothing to settle
    double unused = std::numeric_limits<double>::max();
    reference();
    run(receiver->descriptor(), unused);
    for (int gap = 0; gap < 2; ++gap) {
      reference();
      run(receiver->descriptor(), costs.alone);
    }
    run(receiver->descriptor(), costs.further);
    reference();
    run(receiver->descriptor(), costs.first);
    run(receiver->empty_descriptor(), costs.empty);
  }
  if (!trouble.message.empty()) return std::unexpected(trouble);
  costs.no_room = receiver->counters().no_room;
  return costs;
}

}  // namespace

int print_reference_costs(int rounds) {
  fmt::print("\nreference packets received, ns a packet over the empty program (tc ingress)\n\n");
  fmt::print("{:<9}{:<10}{:>7}{:>14}{:>14}{:>16}{:>9}\n", "flows", "capacity", "empty",
             "one of a gap", "another of it", "first after two", "no room");
  for (const unsigned flows : {512u, 8192u, 10'000u, 16'384u})
    for (const bool capacity : {false, true}) {
      const auto costs = measure_references(flows, capacity, rounds);
      if (!costs) {
        fmt::print("skipped: {}\n", costs.error().message);
        return 77;
      }
      fmt::print("{:<9}{:<10}{:>7.0f}{:>14.0f}{:>14.0f}{:>16.0f}{:>9}\n", flows,
                 capacity ? "10Gbit" : "unknown", costs->empty, costs->alone - costs->empty,
                 costs->further - costs->empty, costs->first - costs->empty, costs->no_room);
    }
  return 0;
}

}  // namespace sojourn
