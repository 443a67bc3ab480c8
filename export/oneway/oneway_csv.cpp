#include "export/oneway/oneway_csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace sojourn {
namespace {

void append_key(std::string& lines, const FlowKey& key) {
  fmt::format_to(std::back_inserter(lines), "{},{},{},{},{}", protocol_name(key.protocol),
                 key.source.to_string(), key.source_port, key.destination.to_string(),
                 key.destination_port);
}

/// Times are whole nanoseconds; unknown values are empty.
void append_number(std::string& lines, const std::optional<double>& value) {
  lines += ',';
  if (value) fmt::format_to(std::back_inserter(lines), "{}", std::llround(*value));
}
template <class Integer>
void append_number(std::string& lines, const std::optional<Integer>& value) {
  lines += ',';
  if (value) fmt::format_to(std::back_inserter(lines), "{}", *value);
}

}  // namespace

std::string protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case 1:
      return "icmp";
    case 6:
      return "tcp";
    case 17:
      return "udp";
    case 58:
      return "icmpv6";
    default:
      return std::to_string(protocol);
  }
}

std::string flow_name(const FlowKey& key) {
  return fmt::format("{} {} > {}", protocol_name(key.protocol),
                     address_and_port(key.source, key.source_port),
                     address_and_port(key.destination, key.destination_port));
}

void append_flow(std::string& lines, const FlowDelay& flow) {
  append_key(lines, flow.key);
  fmt::format_to(std::back_inserter(lines), ",{}", flow.packets);
  append_number(lines, flow.mean_ns);
  append_number(lines, flow.stddev_ns);
  append_number(lines, flow.min_ns);
  append_number(lines, flow.max_ns);
  append_number(lines, flow.lost);
  append_number(lines, flow.margin_ns);
  lines += '\n';
}

void append_delay(std::string& lines, const FlowKey* flow, const DelaySample& sample) {
  fmt::format_to(std::back_inserter(lines), "{},", to_ns(sample.sent));
  if (flow)
    append_key(lines, *flow);
  else
    lines += ",,,,";
  fmt::format_to(std::back_inserter(lines), ",{}\n", to_ns(sample.delay));
}

void DelayCsvWriter::take(const OnewayMethod& method, std::span<const DelaySample> delays) {
  for (const DelaySample& delay : delays)
    append_delay(file_.lines(), method.flow(delay.flow), delay);
  file_.pass_on();
}

Result<void> write_delays(OutputFile file, std::span<const DelaySample> delays,
                          const std::function<FlowKey(std::uint32_t flow)>& key_of) {
  CsvFile csv{std::move(file), delays_csv_header};
  for (const DelaySample& delay : delays) {
    const FlowKey key = key_of(delay.flow);
    append_delay(csv.lines(), &key, delay);
    csv.pass_on();
  }
  return csv.finish();
}

Result<void> write_flows(OutputFile file, std::span<const FlowDelay> flows) {
  CsvFile csv{std::move(file), flows_csv_header};
  for (const FlowDelay& flow : flows) {
    append_flow(csv.lines(), flow);
    csv.pass_on();
  }
  return csv.finish();
}

}  // namespace sojourn
