#pragma once
// Planned packets as frames of a nanosecond pcap file: Ethernet, IPv4, TCP, checksums included.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/traffic.h"
#include "core/result.h"

namespace sojourn::bench {

struct FrameOptions {
  bool timestamps = true;          ///< RFC 7323 option, as nearly all traffic carries it
  std::uint32_t data_bytes = 100;  ///< of a frame with payload, from the Ethernet header on
  std::uint32_t ack_bytes =
      100;  ///< of a frame without; padded behind the IP packet as Ethernet does
};

/// Writes whole blocks, so that making the capture costs seconds.
class FrameWriter {
 public:
  static Result<FrameWriter> open(const std::string& path, const FrameOptions& options);

  Result<void> write(const PlannedPacket& packet);
  Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  FrameWriter(std::FILE* file, const FrameOptions& options);
  Result<void> flush();

  std::unique_ptr<std::FILE, Close> file_;
  FrameOptions options_;
  std::vector<std::uint8_t> block_;
  std::size_t used_ = 0;
};

}  // namespace sojourn::bench
