// IEEE 802.11 data frames, with or without a radiotap header.

#include "wire/walk.h"

namespace sojourn {
namespace {

/// The two bytes of frame control, IEEE 802.11-2020 section 9.2.4.1.
struct FrameControl {
  std::uint8_t type;  // version (2 bits), type (2), subtype (4)
  std::uint8_t flags;

  bool is_data() const { return (type & 0x0cu) == 0x08u; }
  bool has_no_payload() const { return (type & 0x40u) != 0; }  // null function
  bool has_qos() const { return (type & 0x80u) != 0; }
  bool has_four_addresses() const { return (flags & 0x03u) == 0x03u; }
  bool is_protected() const { return (flags & 0x40u) != 0; }
  bool has_control_field() const { return (flags & 0x80u) != 0; }
  bool is_later_fragment(std::uint8_t sequence_control) const {
    return (sequence_control & 0xfu) != 0;
  }
};

constexpr std::size_t three_addresses = 24, fourth_address = 6, qos_control = 2, ht_control = 4;

Step read_frame(LocatedPacket& at, bool padded) {
  const auto* control = at.rest.peek<FrameControl>();
  if (!control) return Skip::truncated_link;
  if (!control->is_data() || control->has_no_payload()) return Skip::not_ip;
  if (control->is_protected()) return Skip::encrypted;

  std::size_t length = three_addresses;
  const auto* sequence = at.rest.peek<std::uint8_t>(length - 2);
  if (!sequence) return Skip::truncated_link;
  if (control->is_later_fragment(*sequence)) return Skip::fragment;
  if (control->has_four_addresses()) length += fourth_address;
  if (control->has_qos()) {
    const auto* qos = at.rest.peek<std::uint8_t>(length);
    if (!qos) return Skip::truncated_link;
    if ((*qos & 0x80u) != 0) return Skip::unknown_ethertype;  // A-MSDU: several packets in one
    length += qos_control;
    if (control->has_control_field()) length += ht_control;
  }
  if (padded) length = (length + 3) / 4 * 4;
  if (!at.rest.skip(length)) return Skip::truncated_link;
  return read_llc;
}

constexpr std::uint32_t from_little_endian(std::uint32_t network) { return std::byteswap(network); }

}  // namespace

Step read_ieee80211(LocatedPacket& at) { return read_frame(at, false); }

/// radiotap.org: version, padding, length and presence words in little endian, then fields in the
/// order of their bits, each aligned to its size.  Only the flags matter here (bit 1, after the
/// 8-byte TSFT of bit 0): they tell whether the frame's header is padded to four bytes.
Step read_radiotap(LocatedPacket& at) {
  struct Header {
    std::uint8_t version;
    std::uint8_t padding;
    Be16 length;
    Be32 present;
  };
  const auto* header = at.rest.peek<Header>();
  if (!header || header->version != 0) return Skip::truncated_link;
  const std::uint32_t present = from_little_endian(header->present);
  constexpr std::uint32_t has_time = 1u << 0, has_flags = 1u << 1, another_word = 1u << 31;
  std::size_t offset = sizeof(Header);
  for (std::uint32_t word = present; (word & another_word) != 0; offset += sizeof(Be32)) {
    const auto* next = at.rest.peek<Be32>(offset);
    if (!next) return Skip::truncated_link;
    word = from_little_endian(*next);
  }
  if ((present & has_time) != 0) offset = (offset + 7) / 8 * 8 + 8;
  bool padded = false;
  if ((present & has_flags) != 0) {
    const auto* flags = at.rest.peek<std::uint8_t>(offset);
    if (!flags) return Skip::truncated_link;
    constexpr std::uint8_t data_pad = 0x20;
    padded = (*flags & data_pad) != 0;
  }
  if (!at.rest.skip(std::byteswap(std::uint16_t{header->length}))) return Skip::truncated_link;
  return read_frame(at, padded);
}

}  // namespace sojourn
