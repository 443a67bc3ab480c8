// Published results name a seed, so a seed must always give the same traffic: order, times, sizes,
// bytes and the truth.  When a model is changed on purpose, the results that depend on it are
// measured again, and the numbers here are replaced by those that the test prints.

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <span>
#include <vector>

#include "lab/backbone_traffic.h"
#include "lab/border_mix.h"
#include "lab/flow_trace.h"
#include "lab/query_load.h"
#include "lab/queue.h"
#include "lab/tcp_traffic.h"
#include "lab/two_point.h"

namespace sojourn {
namespace {

/// The size, for people, and the FNV-1a hash of all of it.
struct Fingerprint {
  std::uint64_t packets = 0, answers = 0, hash = 0xcbf29ce484222325;

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Fingerprint& print) {
    return out << "{" << print.packets << ", " << print.answers << ", 0x" << std::hex << print.hash
               << std::dec << "}";
  }

  void add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) hash = (hash ^ (value & 0xff)) * 0x100000001b3;
  }
  void add(std::int64_t value) { add(static_cast<std::uint64_t>(value)); }
  void add(std::uint32_t value) { add(std::uint64_t{value}); }
  void add(const LabPacket& packet) {
    add(packet.flow);
    add(packet.bytes);
    add(packet.sent_ns);
    ++packets;
  }
  void add(const Sample& sample) {
    add(to_ns(sample.time));
    add(sample.delay.count());
    add(std::uint64_t{index_of(sample.kind)});
    add(static_cast<std::uint64_t>(sample.leg));
    add(std::uint64_t{sample.requester_is_server});
    for (const IpAddress* const address : {&sample.requester, &sample.responder})
      for (const std::uint8_t byte : address->bytes()) add(std::uint64_t{byte});
    add(std::uint64_t{sample.requester_port});
    add(std::uint64_t{sample.responder_port});
    ++answers;
  }
};

Fingerprint of(const BackboneTrace& trace) {
  Fingerprint print;
  for (const LabPacket& packet : trace.packets) print.add(packet);
  for (const std::uint32_t size : trace.flow_sizes) print.add(size);
  print.add(trace.bytes);
  print.answers = trace.flow_sizes.size();
  return print;
}

Fingerprint of(TrafficModel&& model) {
  Fingerprint print;
  LabFrame frame;
  std::vector<Sample> truth;
  while (model.next(frame, truth)) {
    print.add(to_ns(frame.time));
    print.add(frame.length);
    for (const std::byte byte : frame.bytes) print.add(static_cast<std::uint64_t>(byte));
    ++print.packets;
  }
  for (const Sample& sample : truth) print.add(sample);
  return print;
}

Fingerprint of(const RequestTrace& trace) {
  Fingerprint print;
  for (const TraceEvent& event : trace.events) {
    print.add(event.ns);
    print.add(event.id);
    print.add(std::uint64_t{event.is_request});
  }
  for (const std::int64_t delay : trace.delays_ns) print.add(delay);
  print.packets = trace.requests;
  print.answers = trace.delays_ns.size();
  return print;
}
Fingerprint of(const FlowTrace& trace) {
  Fingerprint print = of(trace.trace);
  for (const std::uint32_t flow : trace.flow_of_request) print.add(flow);
  return print;
}

Fingerprint of(const TwoPointTrace& trace) {
  Fingerprint print;
  for (const LabPacket& packet : trace.sent) print.add(packet);
  for (const std::int64_t ns : trace.first_ns) print.add(ns);
  for (const std::uint32_t number : trace.number) print.add(number);
  for (const std::uint32_t packet : trace.first_order) print.add(packet);
  for (const TwoPointArrival& arrival : trace.arrivals) {
    print.add(arrival.read_ns);
    print.add(arrival.packet);
    print.add(std::uint64_t{arrival.duplicate});
    ++print.answers;
  }
  for (const bool is_ipv6 : trace.flow_is_ipv6) print.add(std::uint64_t{is_ipv6});
  print.add(trace.reference_flow.value_or(0xffffffff));
  return print;
}

TEST(SameTraffic, OfBackbones) {
  const auto trace = [](const BackboneModel& model, bool cut) {
    return of(backbone_traffic(
        {.model = model, .seconds = 0.5, .scale = 0.1, .seed = 1, .cut_at_edges = cut}));
  };
  EXPECT_EQ(trace(BackboneModel::chic(), false), (Fingerprint{11061, 820, 0x905990105bd3de36}));
  EXPECT_EQ(trace(BackboneModel::chic(), true), (Fingerprint{10917, 5774, 0xf813538bd43a7538}));
  EXPECT_EQ(trace(BackboneModel::sanj(), true), (Fingerprint{17835, 8966, 0x228534ddf3436cea}));
  EXPECT_EQ(trace(BackboneModel::ipls(), true), (Fingerprint{1444, 659, 0x709abc86230d295d}));
}

TEST(SameTraffic, OfABorderLink) {
  EXPECT_EQ(of(BorderMix{{.packets = 20'000, .flows = 400, .seconds = 0.1}}),
            (Fingerprint{20000, 1614, 0x9de5bba33bce1f4c}));
}

TEST(SameTraffic, OfTcpConnections) {
  EXPECT_EQ(of(TcpTraffic{{.flows = 40, .packets = 4'000}}),
            (Fingerprint{3640, 1903, 0x6afb94784d60d3db}));
  EXPECT_EQ(of(TcpTraffic{{.flows = 40, .packets = 4'000, .loss = 0.03, .reorder = 0.02}}),
            (Fingerprint{4231, 2075, 0xb98b8b2881175cc8}));
}

TEST(SameTraffic, OfQueries) {
  EXPECT_EQ(of(QueryLoad{{.requests = 10'000, .rate = 1e4}}),
            (Fingerprint{14146, 4146, 0xf0f4f1509678d3f3}));
  EXPECT_EQ(of(QueryLoad{{.requests = 10'000, .rate = 1e4, .burst_rate = 3, .burst_delay = 2}}),
            (Fingerprint{14146, 4146, 0xe8fcd459e3c2b09}));
}

TEST(SameTraffic, OfRequestsInMemory) {
  EXPECT_EQ(of(make_trace(LogUniformTrace{.requests = 20'000}, 1)),
            (Fingerprint{20000, 8152, 0x16df7320a5e57f04}));
  EXPECT_EQ(of(make_trace(LogUniformTrace{.requests = 20'000, .ends_with_last_request = true}, 1)),
            (Fingerprint{20000, 2019, 0xddd10a4cc1701eb3}));
  EXPECT_EQ(of(make_trace(BorderLinkTrace{.seconds = 0.5, .rate = 20'000}, 1)),
            (Fingerprint{9890, 1166, 0x548cc8ab57d5b80}));
  EXPECT_EQ(
      of(make_trace(
          BorderLinkTrace{.seconds = 0.5, .rate = 20'000, .burst_rate = 2, .burst_delay = 3}, 1)),
      (Fingerprint{13869, 1583, 0xbd81c9cd8662f791}));
}

TEST(SameTraffic, OfRequestsOfFlows) {
  EXPECT_EQ(
      of(make_trace(
          CampusTrace{.requests = 12'000, .responses = 8'000, .pairs = 1'400, .flows = 220}, 1)),
      (Fingerprint{12000, 1400, 0x498694cb95deb6eb}));
  EXPECT_EQ(
      of(make_trace(BorderFlowsTrace{.seconds = 0.5, .rate = 20'000, .flows_a_second = 300}, 1)),
      (Fingerprint{7434, 739, 0x763e3f37a67cadc5}));
}

TEST(SameTraffic, AtTwoPoints) {
  TwoPointOptions options;
  options.traffic = {.seconds = 0.5, .scale = 0.05, .seed = 1};
  EXPECT_EQ(of(two_point_trace(options)), (Fingerprint{5553, 5553, 0x5fa0c9dbed9e38}));
  options.path = PathKind::droptail;
  options.utilisation = 1.1;
  options.references = 1;
  EXPECT_EQ(of(two_point_trace(options)), (Fingerprint{11104, 9954, 0x3899b87bfa5b0b9f}));
  options.path = PathKind::red;
  options.references = 50;
  options.loss = options.duplicates = options.reorder = options.spikes = 0.01;
  options.first_clock = {.offset_ns = 1000, .drift_ppm = 2, .jitter_ns = 50, .resolution_ns = 10};
  options.last_clock = {.offset_ns = -700, .drift_ppm = -1, .jitter_ns = 80};
  EXPECT_EQ(of(two_point_trace(options)), (Fingerprint{5665, 5650, 0x9ed06548daada25f}));
}

TEST(SameTraffic, BehindQueues) {
  const BackboneTrace trace =
      backbone_traffic({.seconds = 0.5, .scale = 0.1, .seed = 1, .cut_at_edges = true});
  const auto through = [&trace](auto&& path) {
    Fingerprint print;
    for (const LabPacket& packet : trace.packets) {
      const Arrival arrival = path.pass(packet);
      print.add(arrival.value_or(-1));
      ++print.packets;
      print.answers += arrival.has_value();
    }
    return print;
  };
  const double rate = trace.drain_rate(1.05, 0.5);
  EXPECT_EQ(through(DropTailQueue{{.capacity = 100, .bytes_per_second = rate}}),
            (Fingerprint{10917, 10456, 0x762eedff472bc838}));
  EXPECT_EQ(
      through(RedQueue{{.capacity = 200, .bytes_per_second = rate, .least = 20, .most = 150}, 1}),
      (Fingerprint{10917, 10502, 0x87d1f35ac66cda03}));
  EXPECT_EQ(through(WeibullPath{{.loss = 0.01}, 1}),
            (Fingerprint{10917, 10819, 0x7a19e668a1d37f45}));
  EXPECT_EQ(through(WeibullPath{{.fixed_ns = 5000, .in_order = true}, 1}),
            (Fingerprint{10917, 10917, 0x41562f856d0970f1}));
}

}  // namespace
}  // namespace sojourn
