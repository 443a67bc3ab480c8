#pragma once
// The emulator's loop: frames in, through the link models, and out when they are due.

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "core/enum_counters.h"
#include "tests/testbed/command_line.h"
#include "tests/testbed/frame_log.h"
#include "tests/testbed/packet_port.h"
#include "tests/testbed/send_queue.h"

namespace sojourn::testbed {

/// How late frames left, by powers of two.
class Lateness {
 public:
  void add(Duration late) {
    ++buckets_[std::bit_width(static_cast<std::uint64_t>(std::max(late, Duration{1}).count()))];
  }
  Duration bound(double share) const;  ///< this share of the frames left less late than the bound

 private:
  std::array<std::uint64_t, 65> buckets_{};
};

class Forwarder {
 public:
  Forwarder(const EmulatorOptions& options, std::array<PacketPort, 2> ports, FrameLog log);

  /// Until `stop` is set or the options' duration is over.
  void run(const std::atomic<bool>& stop);

  Result<std::string> finish();  ///< the summary line

 private:
  bool receive_from(std::size_t direction);
  bool send_due();
  void wait() const;

  std::array<PacketPort, 2> ports_;
  std::array<LinkModel, 2> links_;
  std::optional<Duration> duration_;
  FrameLog log_;
  SendQueue queue_;
  std::array<EnumCounters<Fate>, 2> counters_;
  Lateness lateness_;
};

}  // namespace sojourn::testbed
