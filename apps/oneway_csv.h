#pragma once
// The CSVs of `sojourn oneway`: flows and single packets.

#include <cstdio>
#include <memory>
#include <span>
#include <string>

#include "core/flow_key.h"
#include "core/result.h"
#include "oneway/flow_delay.h"
#include "oneway/method.h"

namespace sojourn {

/// A file that is written piece by piece, "-" for standard output.
class CsvFile {
 public:
  static Result<CsvFile> open(const std::string& path, std::string_view header);

  /// Where the next lines go; handed on when there are many.
  std::string& lines() { return lines_; }
  void pass_on();
  /// Writes what is left and tells whether everything arrived.
  Result<void> finish();

 private:
  struct Closer {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  CsvFile(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}

  std::unique_ptr<std::FILE, Closer> file_;
  std::string path_;
  std::string lines_;
  std::string error_;
};

inline constexpr std::string_view flows_csv_header =
    "protocol,source,source_port,destination,destination_port,packets,"
    "delay_mean_ns,delay_stddev_ns,delay_min_ns,delay_max_ns,lost,delay_margin_ns\n";
inline constexpr std::string_view delays_csv_header =
    "sent_ns,protocol,source,source_port,destination,destination_port,delay_ns\n";

/// "tcp", "udp", "icmp", "icmpv6", else the number.
std::string protocol_name(std::uint8_t protocol);

void append_flow(std::string& lines, const FlowDelay& flow);
/// Without a flow its fields are empty.
void append_delay(std::string& lines, const FlowKey* flow, const DelaySample& sample);

Result<void> write_flows(const std::string& path, std::span<const FlowDelay> flows);

}  // namespace sojourn
