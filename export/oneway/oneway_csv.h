#pragma once
// One-way delays as CSV: of flows and of single packets.

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/flow_key.h"
#include "core/result.h"
#include "export/csv_file.h"
#include "oneway/delay_sink.h"
#include "oneway/flow_delay.h"
#include "oneway/method.h"

namespace sojourn {

inline constexpr std::string_view flows_csv_header =
    "protocol,source,source_port,destination,destination_port,packets,"
    "delay_mean_ns,delay_stddev_ns,delay_min_ns,delay_max_ns,lost,delay_margin_ns\n";
inline constexpr std::string_view delays_csv_header =
    "sent_ns,protocol,source,source_port,destination,destination_port,delay_ns\n";

/// "tcp", "udp", "icmp", "icmpv6", else the number.
std::string protocol_name(std::uint8_t protocol);
/// "udp 192.0.2.1:5000 > 192.0.2.2:53"; ports of 0 are left out.
std::string flow_name(const FlowKey& key);

void append_flow(std::string& lines, const FlowDelay& flow);
/// Without a flow its fields are empty.
void append_delay(std::string& lines, const FlowKey* flow, const DelaySample& sample);

/// Every delay as a line.
class DelayCsvWriter final : public DelaySink {
 public:
  explicit DelayCsvWriter(OutputFile file) : file_(std::move(file), delays_csv_header) {}

  void take(const OnewayMethod& method, std::span<const DelaySample> delays) override;
  /// Writes the rest and returns whether everything was written.
  Result<void> finish() { return file_.finish(); }

 private:
  CsvFile file_;
};

/// All of them; `key_of` maps their numbers to flows.  Finishes the file.
Result<void> write_delays(OutputFile file, std::span<const DelaySample> delays,
                          const std::function<FlowKey(std::uint32_t flow)>& key_of);

/// All of them.  Finishes the file.
Result<void> write_flows(OutputFile file, std::span<const FlowDelay> flows);

}  // namespace sojourn
