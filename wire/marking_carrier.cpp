#include "wire/marking_carrier.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/parse.h"
#include "wire/headers/internet_checksum.h"

namespace sojourn {
namespace {

constexpr std::uint16_t reserved_flag = 0x8000;
constexpr unsigned dscp_bits = 6, ecn_bits = 2, flow_label_bits = 20;
constexpr unsigned loss_position = 11, delay_position = 10;

unsigned version_of(std::span<const std::byte> ip) {
  if (ip.size() >= sizeof(Ipv4Header) && (ip[0] >> 4) == std::byte{4}) return 4;
  if (ip.size() >= sizeof(Ipv6Header) && (ip[0] >> 4) == std::byte{6}) return 6;
  return 0;
}

/// The field that contains a carrier, as an integer, and how to write it back.
std::uint32_t ipv6_first_word(const std::byte* ip) { return load_network<std::uint32_t>(ip); }

std::uint32_t traffic_class(std::span<const std::byte> ip, unsigned version) {
  return version == 4 ? std::to_integer<std::uint32_t>(ip[1])
                      : ipv6_first_word(ip.data()) >> 20 & 0xffu;
}

void set_ipv6_first_word(std::byte* ip, std::uint32_t word) {
  const Be32 network = word;
  std::memcpy(ip, &network, sizeof network);
}

/// Changes a 16-bit word of an IPv4 header and its checksum.
void set_ipv4_word(std::byte* ip, std::size_t offset, std::uint16_t after) {
  const auto before = load_network<std::uint16_t>(ip + offset);
  if (before == after) return;
  constexpr std::size_t checksum_at = offsetof(Ipv4Header, checksum);
  const Be16 checksum =
      updated_checksum(load_network<std::uint16_t>(ip + checksum_at), before, after);
  const Be16 word = after;
  std::memcpy(ip + offset, &word, sizeof word);
  std::memcpy(ip + checksum_at, &checksum, sizeof checksum);
}

void set_traffic_class(std::byte* ip, unsigned version, std::uint32_t value) {
  if (version == 6)
    return set_ipv6_first_word(ip, (ipv6_first_word(ip) & ~(0xffu << 20)) | value << 20);
  set_ipv4_word(ip, 0,
                static_cast<std::uint16_t>((load_network<std::uint16_t>(ip) & 0xff00u) | value));
}

/// `field` with one bit set from the mark.
constexpr std::uint32_t with_bit(std::uint32_t field, unsigned position, bool set) {
  return (field & ~(1u << position)) | static_cast<std::uint32_t>(set) << position;
}

Result<std::vector<unsigned>> parse_positions(std::string_view text, unsigned width,
                                              std::size_t most) {
  std::vector<unsigned> positions;
  for (const std::string_view word : split_at_commas(text)) {
    const auto number = parse_count(word, 0, width - 1);
    if (!number)
      return failure("'" + std::string{word} + "' is no bit from 0 to " +
                     std::to_string(width - 1));
    const auto position = static_cast<unsigned>(*number);
    if (std::ranges::count(positions, position) > 0)
      return failure("two marks need two different bits");
    positions.push_back(position);
  }
  if (positions.size() > most) return failure("too many bits in '" + std::string{text} + "'");
  return positions;
}

}  // namespace

Result<MarkingCarrier> MarkingCarrier::parse(std::string_view text) {
  const std::string_view kind = text.substr(0, text.find(':'));
  const bool has_bits = kind.size() < text.size();
  std::vector<unsigned> positions = {0};
  const bool is_dscp = kind == "dscp", is_label = kind == "flow-label";
  if (has_bits) {
    if (!is_dscp && !is_label) return failure("only dscp and flow-label let you choose a bit");
    auto parsed = parse_positions(text.substr(kind.size() + 1),
                                  is_dscp ? dscp_bits : flow_label_bits, is_dscp ? 2 : 1);
    if (!parsed)
      return std::unexpected(parsed.error().while_doing("carrier '" + std::string{text} + "'"));
    positions = *parsed;
  }
  if (is_dscp || is_label) {
    MarkingCarrier carrier{is_dscp ? CarrierKind::dscp : CarrierKind::flow_label,
                           static_cast<unsigned>(positions.size())};
    carrier.first_bit_ = static_cast<std::uint8_t>(positions.front());
    carrier.second_bit_ = static_cast<std::uint8_t>(positions.back());
    return carrier;
  }
  if (kind == "reserved") return MarkingCarrier{CarrierKind::reserved_flag, 1};
  if (kind == "hop-by-hop" || kind == "destination") {
    MarkingCarrier carrier{CarrierKind::option, 2};
    carrier.place_ = kind == "destination" ? OptionPlace::destination : OptionPlace::hop_by_hop;
    carrier.first_bit_ = loss_position;
    carrier.second_bit_ = delay_position;
    return carrier;
  }
  return failure("'" + std::string{text} +
                 "' carries no mark; what does is dscp, dscp:BIT, dscp:BIT,BIT, "
                 "reserved, flow-label, flow-label:BIT, hop-by-hop, destination");
}

std::string MarkingCarrier::name() const {
  switch (kind_) {
    case CarrierKind::dscp:
      return "dscp:" + std::to_string(first_bit_) +
             (bits_ == 2 ? "," + std::to_string(second_bit_) : "");
    case CarrierKind::flow_label:
      return "flow-label:" + std::to_string(first_bit_);
    case CarrierKind::reserved_flag:
      return "reserved";
    case CarrierKind::option:
      return place_ == OptionPlace::hop_by_hop ? "hop-by-hop" : "destination";
  }
  return {};
}

MarkingCarrier MarkingCarrier::for_delay_only() const {
  MarkingCarrier changed = *this;
  if (kind_ == CarrierKind::option) std::swap(changed.first_bit_, changed.second_bit_);
  return changed;
}

MarkingCarrier MarkingCarrier::with_flow_id(std::uint32_t flow_id) const {
  MarkingCarrier changed = *this;
  changed.flow_id_ = flow_id & AltMarkOption::largest_flow_id;
  return changed;
}

std::optional<Mark> MarkingCarrier::read(std::span<const std::byte> ip) const {
  const unsigned version = version_of(ip);
  if (version == 0) return std::nullopt;
  std::uint32_t field = 0;
  switch (kind_) {
    case CarrierKind::dscp:
      field = traffic_class(ip, version) >> ecn_bits;
      break;
    case CarrierKind::reserved_flag:
      if (version != 4) return std::nullopt;
      return load_network<std::uint16_t>(ip.data() + 6) & reserved_flag ? first_mark : Mark{0};
    case CarrierKind::flow_label:
      if (version != 6) return std::nullopt;
      field = ipv6_first_word(ip.data());
      break;
    case CarrierKind::option: {
      const auto option = find_alt_mark(ip, place_);
      if (!option) return std::nullopt;
      field = load_network<std::uint32_t>(ip.data() + *option + 2);
      break;
    }
  }
  const Mark first = field >> first_bit_ & 1u;
  if (bits_ == 1) return first;
  return static_cast<Mark>(first | (field >> second_bit_ & 1u) << 1);
}

std::optional<CarrierWord> MarkingCarrier::word(bool is_ipv6) const {
  const auto at = [&](std::uint32_t offset, unsigned shift, std::uint32_t field) {
    return CarrierWord{offset, 1u << (first_bit_ + shift),
                       bits_ == 2 ? 1u << (second_bit_ + shift) : 0, field << shift};
  };
  // The traffic class is the second byte of IPv4, and half a byte further left in IPv6.
  constexpr std::uint32_t all_dscp = (1u << dscp_bits) - 1, all_label = (1u << flow_label_bits) - 1;
  switch (kind_) {
    case CarrierKind::dscp:
      return at(0, (is_ipv6 ? 20 : 16) + ecn_bits, all_dscp);
    case CarrierKind::reserved_flag:
      if (is_ipv6) return std::nullopt;
      return CarrierWord{4, reserved_flag, 0, reserved_flag};
    case CarrierKind::flow_label:
      if (!is_ipv6) return std::nullopt;
      return at(0, 0, all_label);
    case CarrierKind::option:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<MarkingCarrier::Option> MarkingCarrier::option() const {
  if (kind_ != CarrierKind::option) return std::nullopt;
  const IpProtocol header =
      place_ == OptionPlace::hop_by_hop ? IpProtocol::hop_by_hop : IpProtocol::destination_options;
  return Option{static_cast<std::uint8_t>(header), 1u << first_bit_, 1u << second_bit_};
}

std::optional<std::uint32_t> MarkingCarrier::flow_id(std::span<const std::byte> ip) const {
  if (kind_ != CarrierKind::option) return std::nullopt;
  const auto option = find_alt_mark(ip, place_);
  if (!option) return std::nullopt;
  return reinterpret_cast<const AltMarkOption*>(ip.data() + *option)->flow_id();
}

CarrierUse MarkingCarrier::use(std::span<const std::byte> ip) const {
  const unsigned version = version_of(ip);
  const auto in_use = [](bool used) { return used ? CarrierUse::in_use : CarrierUse::free; };
  if (version == 0) return CarrierUse::impossible;
  switch (kind_) {
    // A DSCP is one value, not six flags: changing any bit changes how the packet is treated.
    case CarrierKind::dscp:
      return in_use(traffic_class(ip, version) >> ecn_bits != 0);
    case CarrierKind::reserved_flag:
      if (version != 4) return CarrierUse::impossible;
      return in_use((load_network<std::uint16_t>(ip.data() + 6) & reserved_flag) != 0);
    case CarrierKind::flow_label:
      if (version != 6) return CarrierUse::impossible;
      // RFC 6437 section 3: routers hash the whole label for load balancing.
      return in_use((ipv6_first_word(ip.data()) & ((1u << flow_label_bits) - 1)) != 0);
    case CarrierKind::option:
      if (version != 6) return CarrierUse::impossible;
      if (find_alt_mark(ip, place_)) return CarrierUse::in_use;
      return may_insert_alt_mark(ip, place_) == OptionRefusal::none ? CarrierUse::needs_room
                                                                    : CarrierUse::impossible;
  }
  return CarrierUse::impossible;
}

bool MarkingCarrier::write(std::span<std::byte> ip, Mark mark) const {
  const unsigned version = version_of(ip);
  if (version == 0) return false;
  const auto marked = [&](std::uint32_t field, unsigned shift) {
    field = with_bit(field, first_bit_ + shift, (mark & first_mark) != 0);
    return bits_ == 1 ? field : with_bit(field, second_bit_ + shift, (mark & second_mark) != 0);
  };
  switch (kind_) {
    case CarrierKind::dscp:
      set_traffic_class(ip.data(), version, marked(traffic_class(ip, version), ecn_bits));
      return true;
    case CarrierKind::reserved_flag: {
      if (version != 4) return false;
      constexpr std::size_t flags_at = offsetof(Ipv4Header, fragment);
      // Only the reserved flag of this word may change: DF and MF belong to the sender.
      const auto others =
          load_network<std::uint16_t>(ip.data() + flags_at) & ~unsigned{reserved_flag};
      set_ipv4_word(
          ip.data(), flags_at,
          static_cast<std::uint16_t>(others | ((mark & first_mark) ? reserved_flag : 0u)));
      return true;
    }
    case CarrierKind::flow_label:
      if (version != 6) return false;
      set_ipv6_first_word(ip.data(), marked(ipv6_first_word(ip.data()), 0));
      return true;
    case CarrierKind::option: {
      const auto option = find_alt_mark(ip, place_);
      if (!option) return false;
      auto& data = reinterpret_cast<AltMarkOption*>(ip.data() + *option)->data;
      data = marked(data, 0);
      return true;
    }
  }
  return false;
}

void MarkingCarrier::insert(std::span<const std::byte> ip, Mark mark,
                            std::span<std::byte> out) const {
  insert_alt_mark(ip, place_, {.data = flow_id_ << 12}, out);
  write(out, mark);
}

bool MarkingCarrier::restore(std::span<const std::byte> ip, std::span<std::byte> out) const {
  if (kind_ == CarrierKind::option && remove_alt_mark(ip, place_, out)) return true;
  std::ranges::copy(ip, out.begin());
  write(out, 0);
  return false;
}

}  // namespace sojourn
