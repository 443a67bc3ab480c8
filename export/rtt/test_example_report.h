#pragma once
// A small run with known figures, for the tests of every writer.

#include "export/rtt/rtt_report.h"

namespace sojourn {

/// 1000 tcp samples on two legs, 100 whole handshakes, 3 icmp, in two slices and by port.
class ExampleReport {
 public:
  ExampleReport() : measurement(options()) {
    using namespace std::chrono_literals;
    for (int i = 1; i <= 1000; ++i) {
      add(Kind::tcp, i % 4 == 0 ? Leg::client : Leg::server, i * (i % 4 == 0 ? 1us : 20us), i * 2ms,
          443);
      if (i % 10 != 0) continue;
      add(Kind::handshake, Leg::server, i * 20us, i * 2ms, 443);
      add(Kind::handshake, Leg::client, i * 1us, i * 2ms, 443);
      add(Kind::handshake, Leg::sum, i * 21us, i * 2ms, 443);
    }
    for (int i = 1; i <= 3; ++i) add(Kind::icmp, Leg::server, i * 5ms, 0ms, 0);
    measurement.counters(Kind::tcp) = {1100, 40};
    measurement.counters(Kind::handshake) = {100};
    measurement.counters(Kind::icmp) = {3};
    measurement.counters(Kind::ntp) = {2};

    report.input = {{"example.pcap"},
                    2500,
                    1'250'000,
                    start,
                    start + 2s,
                    {{"arp", 7}, {"truncated", 2}},
                    {"example.pcap ends in the middle of a packet"}};
    report.table.memory_bytes = 4096;
    report.table.seed = 7;
    report.measurement = &measurement;
    for (const auto rule :
         {"tcp p95 < 50ms", "tcp.server median < 5ms", "icmp p95 < 50ms", "quic mean < 1ms"})
      for (const SlaResult& result : SlaRule::parse(rule)->evaluate(measurement))
        report.sla.push_back(result);
  }

  static constexpr Timestamp start = timestamp_from_ns(1'794'052'800'000'000'000);
  Measurement measurement;
  RttReport report;

 private:
  static MeasurementOptions options() {
    MeasurementOptions options;
    options.window = std::chrono::seconds{1};
    options.grouping = *Grouping::parse("port");
    return options;
  }
  void add(Kind kind, Leg leg, Duration delay, Duration when, std::uint16_t port) {
    Sample sample;
    sample.time = start + when;
    sample.kind = kind;
    sample.leg = leg;
    sample.delay = delay;
    (leg == Leg::client ? sample.requester_port : sample.responder_port) = port;
    measurement.add(sample);
  }
};

}  // namespace sojourn
