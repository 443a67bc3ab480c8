#pragma once
// Traffic and paths for testing margins: from independent delays to cases that break formulas.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/lab_packet.h"

namespace sojourn {

/// Packets and their path; paths keep the order of packets if `in_order`.
struct MarginTraffic {
  std::string name;
  std::vector<LabPacket> packets;
  std::size_t flows = 0;
  /// A new path, idle; each pass over the packets needs its own.
  std::function<std::function<Arrival(const LabPacket&)>()> path;
  bool in_order = true;
  double bytes_a_second = 0;  ///< of the link, counting all that a frame takes; 0: no link
};

/// The bytes of an IP packet on an Ethernet link: with headers, checksum, preamble and gap, and at
/// least the smallest frame.
std::uint32_t ethernet_bytes(std::uint32_t ip_bytes);

struct MarginScale {
  double seconds = 20;
  double scale = 0.15;  ///< of the backbone traffic
  std::uint64_t seed = 1;
};

/// independent, queue, trains, correlated, bursts of 4 ms, heavy tails.
std::vector<MarginTraffic> margin_traffic(const MarginScale& scale);
/// A link on Ethernet at this load; `hidden`: share of the load that the capture does not hold.
MarginTraffic link_at(double load, double hidden, const MarginScale& scale);

}  // namespace sojourn
