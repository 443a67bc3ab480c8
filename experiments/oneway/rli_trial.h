#pragma once
// RLI on one path: reference packets among the traffic, one queue for both, a receiver behind it.

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/oneway/oneway_path.h"
#include "oneway/rli/reference_generator.h"
#include "oneway/rli/rli_receiver.h"

namespace sojourn {

inline constexpr std::uint32_t reference_packet_bytes = 48;

/// The traffic behind the queue, with reference packets injected before it.
struct RliPath {
  Arrivals arrivals;  ///< of the regular packets
  struct Reference {
    std::int64_t sent_ns;
    std::int64_t received_ns;  ///< or lost_packet
    std::size_t before;        ///< it went ahead of this regular packet
  };
  std::vector<Reference> references;

  double injection_rate() const {
    return static_cast<double>(references.size()) / static_cast<double>(arrivals.size());
  }
};

RliPath inject(std::span<const LabPacket> packets, RedQueue queue, ReferenceGenerator generator);

/// Feeds all of it to a receiver, which then knows every flow.
RliReceiver receive(std::span<const LabPacket> packets, const RliPath& path,
                    const RliReceiver::Options& options, std::size_t begin = 0,
                    std::size_t end = ~std::size_t{0});

}  // namespace sojourn
