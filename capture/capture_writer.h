#pragma once
// Packets to a pcap file with nanosecond times.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/packet.h"
#include "core/result.h"

namespace sojourn {

/// Writes whole blocks, so that a capture of millions of packets costs seconds.  "-" is standard
/// output.  A write that fails is remembered, and told by finish().
class CaptureWriter {
 public:
  static Result<CaptureWriter> open(const std::string& path, LinkType link,
                                    std::uint32_t snap_length = 262'144);

  /// `length` is what was on the wire, if the capture cuts packets; times from 1970 to 2106.
  void write(Timestamp time, std::span<const std::byte> bytes, std::uint32_t length);
  void write(const Packet& packet) { write(packet.time, packet.bytes(), packet.length); }

  /// Must be called last: tells whether everything has been written.
  Result<void> finish();

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };

  CaptureWriter(std::string path, std::FILE* file);
  void put(const void* bytes, std::size_t size);
  void flush();

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<std::byte> block_;
  std::size_t used_ = 0;
  int error_ = 0;  ///< errno of the first write that failed
};

}  // namespace sojourn
