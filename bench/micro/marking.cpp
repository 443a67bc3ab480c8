// What does a packet cost at a marking point, with one monitored flow and with 100 000?
//
// `rules`: flow number in, counters and mark out, in batches of 64 with the prefetch first.
// `point`: from the IP header on, which the parser has just read: the flow's lookup by its 5-tuple,
// the mark's read, the rules.  Initiating also writes the mark into the header, checksum included.
// Packets come 50 ns apart from random flows, intervals of 1 s.

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "core/hash.h"
#include "oneway/marking/marking_monitor.h"

namespace sojourn {
namespace {

constexpr std::size_t batch = 64;
constexpr std::int64_t gap_ns = 50;

std::uint32_t flow_at(std::uint64_t number, std::uint64_t flows) {
  return static_cast<std::uint32_t>(fold_multiply(split_mix(number), flows) % flows);
}

void rules(benchmark::State& state, MarkingRole role) {
  const auto flows = static_cast<std::uint64_t>(state.range(0));
  MarkingPoint point{MarkingMethod::multiplexed, role, MarkingInterval{0}, flows};
  std::array<MarkingEvent, batch> events;
  std::array<MarkingRecord, batch> closed;
  std::int64_t time = 1'700'000'000'000'000'000;
  std::uint64_t next = 0, records = 0;
  for (auto _ : state) {
    for (MarkingEvent& event : events) {
      event = {timestamp_from_ns(time += gap_ns), flow_at(next, flows),
               static_cast<Mark>(next & 1)};
      ++next;
    }
    records += point.process(events, closed);
  }
  benchmark::DoNotOptimize(records);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
}
void rules_observing(benchmark::State& state) { rules(state, MarkingRole::observing); }
void rules_initiating(benchmark::State& state) { rules(state, MarkingRole::initiating); }

void write_header(std::byte* at, std::uint32_t flow) {
  Ipv4Header header;
  header.total_length = 60;
  header.protocol = IpProtocol::udp;
  header.source = 0x0a000000 + flow;
  header.destination = 0xc0000201;
  std::memcpy(at, &header, sizeof header);
  const Be16 ports[2] = {std::uint16_t{5000}, std::uint16_t{443}};
  std::memcpy(at + sizeof header, ports, sizeof ports);
}

void point(benchmark::State& state, MarkingRole role) {
  const auto flows = static_cast<std::uint32_t>(state.range(0));
  std::vector<std::byte> memory(batch * 64);
  std::vector<IpPacket> packets(batch);
  MarkingSetup setup{.carrier = *MarkingCarrier::parse("dscp")};
  setup.flows.clear();
  IpLocator locator{1};
  const auto locate = [&](const std::byte* at) {
    const Packet packet{
        .time = {}, .data = at, .captured = 60, .length = 60, .link = LinkType::raw};
    IpPacket found;
    locator.locate({&packet, 1}, {&found, 1});
    return found;
  };
  for (std::uint32_t flow = 0; flow < flows; ++flow) {
    write_header(memory.data(), flow);
    setup.flows.push_back(MarkingFilter::of(locate(memory.data()).key()));
  }
  for (std::size_t i = 0; i < batch; ++i) {
    std::byte* const at = memory.data() + i * 64;
    write_header(at, 0);
    packets[i] = locate(at);
  }
  auto monitor = *MarkingMonitor::make(setup, role);
  std::int64_t time = 1'700'000'000'000'000'000;
  std::uint64_t next = 0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < batch; ++i) {
      const Be32 source = 0x0a000000 + flow_at(next++, flows);
      std::memcpy(memory.data() + i * 64 + 12, &source, sizeof source);
      packets[i].time = timestamp_from_ns(time += gap_ns);
    }
    const auto events = monitor.process(packets);
    if (role == MarkingRole::initiating)
      for (std::size_t i = 0; i < batch; ++i)
        setup.carrier.write({memory.data() + i * 64, 60}, events[i].mark);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(batch));
  if (monitor.monitored() != static_cast<std::uint64_t>(state.iterations()) * batch)
    state.SkipWithError("packets without a flow");
}
void point_observing(benchmark::State& state) { point(state, MarkingRole::observing); }
void point_initiating(benchmark::State& state) { point(state, MarkingRole::initiating); }

BENCHMARK(rules_observing)->Arg(1)->Arg(100'000);
BENCHMARK(rules_initiating)->Arg(1)->Arg(100'000);
BENCHMARK(point_observing)->Arg(1)->Arg(100'000);
BENCHMARK(point_initiating)->Arg(1)->Arg(100'000);

}  // namespace
}  // namespace sojourn
