#pragma once
// Where an IP packet carries its marking bits, and how to read and write them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "wire/headers/marking_option.h"

namespace sojourn {

/// One or two marking bits.  A method with one bit uses the first; in double marking the first is
/// the step and the second is the pulse.
using Mark = std::uint8_t;
inline constexpr Mark first_mark = 1, second_mark = 2;

enum class CarrierKind : std::uint8_t {
  dscp,  ///< one or two bits of the DSCP field (RFC 2474), IPv4 and IPv6; never the ECN bits
  reserved_flag,  ///< the unused first bit of IPv4's flags; never DF or MF beside it
  flow_label,     ///< one bit of IPv6's flow label (RFC 6437)
  option,         ///< IPv6 option 0x12 (RFC 9343)
};

/// Why a packet cannot be marked.
enum class CarrierUse : std::uint8_t {
  free,
  in_use,  ///< the field has a meaning already: a DSCP, a flow label, a reserved flag, an option
  impossible,  ///< the packet has no such field
  needs_room,  ///< free, but the packet has to grow by alt_mark_growth (insert())
};

/// Where the marks are in the header of one IP version: a 32-bit word and bits of it.
struct CarrierWord {
  std::uint32_t offset = 0;
  std::uint32_t first = 0, second = 0;  ///< second: 0 if there is one mark
  std::uint32_t field = 0;              ///< all bits of the field that they are part of
};

/// Reads and writes marks in place.  IPv4's header checksum follows by RFC 1624; no other checksum
/// covers the carriers.
class MarkingCarrier {
 public:
  /// "dscp" (its lowest bit, as in the paper's experiment), "dscp:3", "dscp:1,0" (two bits, step
  /// first), "reserved", "flow-label", "flow-label:7", "hop-by-hop", "destination".
  static Result<MarkingCarrier> parse(std::string_view text);

  CarrierKind kind() const { return kind_; }
  unsigned bits() const { return bits_; }
  std::string name() const;

  /// The option has a flag for loss and one for delay (RFC 9343 section 3.1).  A method that
  /// measures only delay uses the latter.  No effect on other carriers.
  MarkingCarrier for_delay_only() const;
  /// The FlowMonID of inserted options; 20 bits.
  MarkingCarrier with_flow_id(std::uint32_t flow_id) const;
  std::uint32_t first_flow_id() const { return flow_id_; }

  /// The mark of a packet, or nullopt if it has no such field.  `ip` begins with the IP header and
  /// holds the captured bytes.
  std::optional<Mark> read(std::span<const std::byte> ip) const;
  /// nullopt if that version has no such field, or if it is the option, whose position varies.
  std::optional<CarrierWord> word(bool is_ipv6) const;
  /// The option's data word, and which extension header carries it; nullopt for other carriers.
  struct Option {
    std::uint8_t header = 0;  ///< as a next-header number
    std::uint32_t first = 0, second = 0;
  };
  std::optional<Option> option() const;
  /// The FlowMonID, if the carrier is the option.
  std::optional<std::uint32_t> flow_id(std::span<const std::byte> ip) const;

  CarrierUse use(std::span<const std::byte> ip) const;

  /// False if the packet has no such field; then nothing was changed.
  bool write(std::span<std::byte> ip, Mark mark) const;
  /// For packets that need room: `out` is alt_mark_growth bytes longer than `ip`.
  void insert(std::span<const std::byte> ip, Mark mark, std::span<std::byte> out) const;
  /// Writes the packet without its mark to `out`, which is as long as `ip`, as the terminating
  /// point does.  True if the packet became shorter by alt_mark_growth.
  bool restore(std::span<const std::byte> ip, std::span<std::byte> out) const;

 private:
  MarkingCarrier(CarrierKind kind, unsigned bits)
      : kind_(kind), bits_(static_cast<std::uint8_t>(bits)) {}

  CarrierKind kind_;
  std::uint8_t bits_;
  std::uint8_t first_bit_ = 0;  ///< positions within the field, 0 the lowest
  std::uint8_t second_bit_ = 0;
  OptionPlace place_ = OptionPlace::hop_by_hop;
  std::uint32_t flow_id_ = 0;
};

}  // namespace sojourn
