#pragma once
// Packet selection.  Every point makes the same decision without communication.

#include <cmath>
#include <cstdint>

#include "core/hash.h"
#include "oneway/label.h"

namespace sojourn {

/// A range of hash values, RFC 5475 section 6.2.2: values within are selected.  Rate = range /
/// 2^32.
struct SelectionRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0xffffffff;  ///< inclusive

  /// From 0 up; the nearest share that 2^32 values allow, but never empty.
  static SelectionRange of_share(double share) {
    const double values = std::round(share * 0x1p32);
    if (values >= 0x1p32) return {};
    return {0, values < 1 ? 0 : static_cast<std::uint32_t>(values - 1)};
  }

  bool selects(std::uint32_t hash) const { return hash >= min && hash <= max; }
  double share() const {
    return (static_cast<double>(max) - static_cast<double>(min) + 1) * 0x1p-32;
  }
  bool everything() const { return min == 0 && max == 0xffffffff; }
};

/// Selects packets by their label: looks like random sampling, yet all points select the same ones.
///
/// The selecting label and the exported label differ: for selected packets the former is in a
/// narrow range and carries little information.  So give the exported one another init value.
class PacketSelection {
 public:
  PacketSelection(const SelectionRange& range, const LabelOptions& options)
      : range_(range), options_(options) {}

  bool selects(const IpPacket& packet) const {
    return range_.everything() || range_.selects(hash(packet));
  }

 private:
  /// The 16 bits of IPSX are scaled to 32: shares come in steps of 1/65536.
  std::uint32_t hash(const IpPacket& packet) const {
    const std::uint32_t label = label_of(packet, options_);
    return options_.function == LabelFunction::ipsx ? label * 0x10001u : label;
  }

  SelectionRange range_;
  LabelOptions options_;
};

/// Selects whole flows: all packets of a 5-tuple in this direction, or none.  By BOB of the 5-tuple
/// with the labels' secret, so that independent points select the same flows.
class FlowSelection {
 public:
  FlowSelection(const SelectionRange& range, const LabelOptions& options)
      : range_(range), init_(options.init) {}

  bool selects(const IpPacket& packet) const {
    return range_.everything() || range_.selects(hash(packet.key()));
  }

 private:
  std::uint32_t hash(const FlowKey& key) const;

  SelectionRange range_;
  std::uint32_t init_;
};

}  // namespace sojourn
