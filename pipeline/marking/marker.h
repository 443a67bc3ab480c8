#pragma once
// Packets as they would look behind the point that marks them, or behind the one that takes the
// marks away.

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
  bool force = false;    ///< overwrite what the carrier's field meant
  bool restore = false;  ///< take marks away instead, as the terminating point does
};

struct MarkCounters {
  std::uint64_t packets = 0;
  std::uint64_t changed = 0;     ///< marked, or freed of their mark
  std::uint64_t no_carrier = 0;  ///< of a monitored flow, without such a field
  std::uint64_t tunnelled = 0;   ///< inner packets are the tunnel's business
  std::uint64_t other = 0;       ///< no IP packet, or of no monitored flow
};

/// One batch at a time: finds the IP packets, asks the monitor, gives all packets in their order.
class Marker {
 public:
  static constexpr std::size_t max_batch = MarkingMonitor::max_batch;

  static Result<std::unique_ptr<Marker>> make(const MarkerOptions& options);

  /// At most max_batch packets.  As many come back, valid until the next call; those that were left
  /// alone are the caller's own bytes.  The error names the first packet whose field is in use.
  Result<std::span<const Packet>> process(std::span<const Packet> batch);

  /// That error was the reason why process() gave up.
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
  std::array<bool, max_batch> left_out_{};       ///< counted already: no candidate for a mark
  std::size_t found_ = 0;
  std::array<Packet, max_batch> out_;
  std::array<std::vector<std::byte>, max_batch> frames_;  ///< bytes of the changed ones
  std::vector<std::byte> changed_ip_;
  MarkCounters counters_;
  bool met_used_carrier_ = false;
};

}  // namespace sojourn
