#pragma once
// Packets as they would look after the point that marks them, or after the point that removes the
// marks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/packet.h"
#include "core/result.h"
#include "oneway/marking/marking_monitor.h"
#include "wire/ip_packet.h"

namespace sojourn {

struct MarkerOptions {
  MarkingSetup setup;
  bool force = false;    ///< overwrite the carrier's field even if it is in use
  bool restore = false;  ///< remove marks instead, as the terminating point does
};

struct MarkCounters {
  std::uint64_t packets = 0;
  std::uint64_t changed = 0;     ///< marked, or their mark removed
  std::uint64_t no_carrier = 0;  ///< of a monitored flow, but without such a field
  std::uint64_t tunnelled = 0;   ///< packets inside a tunnel are left alone
  std::uint64_t other = 0;       ///< no IP packet, or of no monitored flow
};

/// One batch at a time: finds the IP packets, asks the monitor, and returns all packets in order.
class Marker {
 public:
  static constexpr std::size_t max_batch = MarkingMonitor::max_batch;

  static Result<std::unique_ptr<Marker>> make(const MarkerOptions& options);

  /// At most max_batch packets.  Returns as many, valid until the next call; unchanged packets are
  /// the caller's own bytes.  The error names the first packet whose field is in use.
  Result<std::span<const Packet>> process(std::span<const Packet> batch);

  /// process() failed because the carrier's field was in use.
  bool met_used_carrier() const { return met_used_carrier_; }

  MarkCounters counters() const;

 private:
  Marker(const MarkerOptions& options, MarkingMonitor monitor);
  void find(std::span<const Packet> batch);
  Result<Packet> changed(const Packet& packet, const IpPacket& ip, const MarkingEvent& event,
                         std::vector<std::byte>& frame);

  bool force_, restore_;
  MarkingCarrier carrier_;
  MarkingMonitor monitor_;
  IpLocator locator_;
  std::array<IpPacket, max_batch> ips_;
  std::array<std::size_t, max_batch> places_{};  ///< of `ips_` in the batch
  std::array<bool, max_batch> left_out_{};       ///< counted already: not to be marked
  std::size_t found_ = 0;
  std::array<Packet, max_batch> out_;
  std::array<std::vector<std::byte>, max_batch> frames_;  ///< bytes of the changed ones
  std::vector<std::byte> changed_ip_;
  MarkCounters counters_;
  bool met_used_carrier_ = false;
};

}  // namespace sojourn
