// Listens for IPFIX and prints as JSON what it received: the other end of a test.
//
//     sojourn-test-listen tcp|udp SECONDS [RECORDS]
//     sojourn-test-listen tls SECONDS RECORDS CERTIFICATE KEY AUTHORITY
//
// The first line is the port.  Ends after this many seconds, or flow records.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "ipfix/transport/listener.h"

using namespace sojourn;

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto transport = ipfix::parse_transport(argv[1]);
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[2]));
  const std::uint64_t wanted = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : ~0ull;
  ipfix::ListenerOptions options;
  options.endpoints = {{*transport, "127.0.0.1", 0}};
  if (argc > 6) options.tls = {argv[4], argv[5], argv[6]};
  auto listener = ipfix::Listener::open(options);
  if (!listener) {
    fmt::print(stderr, "{}\n", listener.error().message);
    return 1;
  }
  fmt::print("{}\n", (*listener)->port());
  std::fflush(stdout);
  std::uint64_t records = 0, packets = 0, cells = 0, without_label = 0, reports = 0;
  double weight = 0;
  std::string point;
  while (std::chrono::steady_clock::now() < end && records + without_label < wanted) {
    (*listener)->poll(std::chrono::milliseconds{50}, [&](ipfix::Delivery& delivery) {
      if (delivery.repeated) return;
      records += delivery.report.records.size();
      for (const FlowRecord& record : delivery.report.records) packets += record.packets;
      cells += delivery.report.cells.size();
      for (const RttCell& cell : delivery.report.cells) weight += cell.weight;
      without_label += delivery.report.records_without_label;
      reports += delivery.report.counters.has_value();
      if (delivery.from_a_point) point = delivery.report.point.name;
    });
  }
  const ipfix::ListenerCounters counters = (*listener)->counters();
  fmt::print(
      "{{\"records\": {}, \"packets\": {}, \"cells\": {}, \"weight\": {}, \"without_label\": {}, "
      "\"reports\": {}, \"point\": \"{}\", \"messages\": {}, \"missing\": {}, \"repeated\": {}, "
      "\"troubles\": {}, \"refused_certificates\": {}}}\n",
      records, packets, cells, weight, without_label, reports, point, counters.messages,
      counters.missing_records, counters.repeated_messages, counters.troubles.total(),
      counters.refused_certificates);
  return 0;
}
