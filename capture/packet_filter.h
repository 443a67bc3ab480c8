#pragma once
// tcpdump's filter language, using libpcap.

#include <memory>
#include <string>

#include "core/packet.h"
#include "core/result.h"

namespace sojourn {

/// One expression compiled for one link type: where the bytes of "host" are depends on it.
class PacketFilter {
 public:
  static Result<PacketFilter> compile(const std::string& expression, LinkType link);

  PacketFilter(PacketFilter&&) noexcept;
  PacketFilter& operator=(PacketFilter&&) noexcept;
  ~PacketFilter();

  bool accepts(const Packet& packet) const;

 private:
  struct Program;  // keeps pcap.h out of this header
  explicit PacketFilter(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace sojourn
