#pragma once
// The AltMark option of IPv6, RFC 9343: a place for marks that uses no bits of other fields.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/headers/ipv6.h"

namespace sojourn {

/// RFC 9343 section 3.1.  The type's upper bits say: skip it if unknown, it does not change en
/// route.
struct AltMarkOption {
  static constexpr std::uint8_t option_type = 0x12;
  static constexpr std::uint32_t largest_flow_id = 0xfffff;
  static constexpr std::uint32_t loss_bit = 1u << 11, delay_bit = 1u << 10;

  std::uint8_t type = option_type;
  std::uint8_t data_length = 4;
  Be32 data{};  // FlowMonID (20 bits), L, D, reserved (10)

  std::uint32_t flow_id() const { return data >> 12; }
  bool loss() const { return (data & loss_bit) != 0; }
  bool delay() const { return (data & delay_bit) != 0; }
};
static_assert(sizeof(AltMarkOption) == 6 && WireStruct<AltMarkOption>);

/// Which extension header carries the option (RFC 9343 section 4): the one read by every router on
/// the way, or the one read only by the destination.
enum class OptionPlace : std::uint8_t { hop_by_hop, destination };

/// The first AltMark option of an IPv6 packet: bytes from `ip` to the option's type.  Nullopt if
/// there is none, or if the headers before it were not captured or are inconsistent.
std::optional<std::size_t> find_alt_mark(std::span<const std::byte> ip, OptionPlace place);

/// What the option adds to a packet: a new extension header, or two bytes of padding and the option
/// at the end of an existing one.
inline constexpr std::size_t alt_mark_growth = 8;

/// Why an option cannot be put into a packet.
enum class OptionRefusal : std::uint8_t {
  none,
  not_ipv6,
  no_length,      ///< jumbogram or offload: the payload length is 0, or would overflow
  authenticated,  ///< RFC 4302: the authentication header covers the options
  header_full,    ///< has such an extension header, which has the maximum length
  bad_options,    ///< has such an extension header, and its options contradict its length
  truncated,      ///< the extension headers were not captured
};
OptionRefusal may_insert_alt_mark(std::span<const std::byte> ip, OptionPlace place);

/// Writes `ip` with the option into `out`, which has room for alt_mark_growth bytes more.  Call it
/// only if may_insert_alt_mark() allows it.
void insert_alt_mark(std::span<const std::byte> ip, OptionPlace place, const AltMarkOption& option,
                     std::span<std::byte> out);

/// The exact reverse: writes the packet without what insert_alt_mark() added to `out`, which is as
/// long as `ip`.  False if there is no option in the form that insert_alt_mark() writes.
bool remove_alt_mark(std::span<const std::byte> ip, OptionPlace place, std::span<std::byte> out);

}  // namespace sojourn
