#include "capture/files/pcapng_decoder.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture/files/link_types.h"

namespace sojourn {
namespace {

constexpr std::uint32_t section_header_block = 0x0a0d0d0a;
constexpr std::uint32_t interface_block = 1;
constexpr std::uint32_t obsolete_packet_block = 2;
constexpr std::uint32_t simple_packet_block = 3;
constexpr std::uint32_t enhanced_packet_block = 6;

constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
constexpr std::uint16_t option_end = 0, option_name = 2, option_tsresol = 9, option_tsoffset = 14;

constexpr std::size_t smallest_block = 12;
/// Wireshark's limit too.  A block that is parsed must fit the buffer of a pipe.
constexpr std::uint32_t largest_block = 16 * 1024 * 1024;
/// An interface takes 20 bytes in a file and twice that in memory: without a limit a highly
/// compressed file could exhaust memory.
constexpr std::size_t most_interfaces = 65'536;

/// The minimum size of the blocks that are parsed; 0 for those that are skipped.
constexpr std::uint32_t least_size(std::uint32_t type) {
  switch (type) {
    case section_header_block:
      return PcapngDecoder::section_header_size;
    case interface_block:
      return 20;
    case simple_packet_block:
      return 16;
    case obsolete_packet_block:
    case enhanced_packet_block:
      return 32;
    default:
      return 0;
  }
}

}  // namespace

bool is_pcapng(const std::byte* begin) {
  return load<std::uint32_t>(begin, false) == section_header_block;  // reads alike either way
}

Result<std::unique_ptr<Decoder>> PcapngDecoder::make(std::span<const std::byte> begin,
                                                     CaptureLog& log) {
  if (begin.size() < section_header_size)
    return failure(fmt::format("cut inside the pcapng header: {} of at least {} bytes",
                               begin.size(), section_header_size));
  const auto magic = load<std::uint32_t>(begin.data() + 8, false);
  if (magic != byte_order_magic && magic != std::byteswap(byte_order_magic))
    return failure(
        fmt::format("not a capture: begins like pcapng, but with byte-order magic {:08x}", magic));
  const auto major = load<std::uint16_t>(begin.data() + 12, magic != byte_order_magic);
  if (major != 1) return failure(fmt::format("pcapng version {} is not supported", major));
  return std::make_unique<PcapngDecoder>(log);
}

Decoder::Step PcapngDecoder::decode(Window window, std::span<Packet> batch) {
  Step step;
  const std::byte* const begin = window.begin;
  while (step.count < batch.size() && !step.ended) {
    Block block{};
    const Found found = find_block(window, block, step.wanted);
    if (found != Found::block) {
      step.ended = found == Found::damage || window.last;
      if (found == Found::nothing_yet && window.last && (window.size() > 0 || trailer_due_ != 0))
        cut();
      break;
    }
    switch (block.type) {
      case section_header_block:
        step.ended = !begin_section(block);
        break;
      case interface_block:
        describe_interface(block);
        break;
      case simple_packet_block:
        step.count += read_simple_packet(block, batch[step.count]);
        break;
      default:
        step.count += read_packet(block, batch[step.count]);
    }
  }
  step.consumed = static_cast<std::size_t>(window.begin - begin);
  log_.counters.packets += step.count;
  tally_.report(log_.counters);
  return step;
}

/// Removes blocks from the window's front up to the next one that is parsed, and returns that one.
PcapngDecoder::Found PcapngDecoder::find_block(Window& window, Block& block, std::size_t& wanted) {
  for (;;) {
    if (trailer_due_ != 0) {
      const auto passed = std::min<std::uint64_t>(left_to_skip_, window.size());
      window.begin += passed;
      left_to_skip_ -= passed;
      wanted = 4;
      if (left_to_skip_ > 0 || window.size() < 4) return Found::nothing_yet;
      const auto trailer = read<std::uint32_t>(window.begin);
      if (trailer != trailer_due_)
        return damage(
            fmt::format("a block of {} bytes ends with length {}", trailer_due_, trailer));
      window.begin += 4;
      trailer_due_ = 0;
    }

    wanted = smallest_block;
    if (window.size() < smallest_block) return Found::nothing_yet;
    const auto type = read<std::uint32_t>(window.begin);
    if (type == section_header_block) {
      // Its length is already in the new section's byte order.
      const auto magic = load<std::uint32_t>(window.begin + 8, false);
      if (magic != byte_order_magic && magic != std::byteswap(byte_order_magic))
        return damage(fmt::format("a section begins with byte-order magic {:08x}", magic));
      swapped_ = magic != byte_order_magic;
    }
    const auto size = read<std::uint32_t>(window.begin + 4);
    const std::uint32_t least = least_size(type);
    if (size % 4 != 0 || size < std::max<std::size_t>(least, smallest_block) ||
        (least != 0 && size > largest_block))
      return damage(fmt::format("a block of type {:#x} claims {} bytes", type, size));
    if (least == 0) {
      left_to_skip_ = size - smallest_block;
      trailer_due_ = size;
      window.begin += smallest_block - 4;
      continue;
    }

    wanted = size;
    if (window.size() < size) return Found::nothing_yet;
    const auto trailer = read<std::uint32_t>(window.begin + size - 4);
    if (trailer != size)
      return damage(fmt::format("a block of {} bytes ends with length {}", size, trailer));
    block = {window.begin, type, size};
    window.begin += size;
    return Found::block;
  }
}

bool PcapngDecoder::begin_section(const Block& block) {
  interfaces_.clear();
  const auto major = read<std::uint16_t>(block.begin + 12);
  if (major == 1) return true;
  damage(fmt::format("a section has the unknown version {}", major));
  return false;
}

void PcapngDecoder::describe_interface(const Block& block) {
  if (interfaces_.size() == most_interfaces) {
    bad_block(fmt::format("more than {} interfaces", most_interfaces));
    return;
  }
  Interface& interface = interfaces_.emplace_back();
  interface.link_number = read<std::uint16_t>(block.begin + 8);
  interface.snap_length = read<std::uint32_t>(block.begin + 12);
  const auto link = supported_link_type(interface.link_number);
  interface.supported = link.has_value();
  interface.link = link.value_or(LinkType::ethernet);
  std::string name = fmt::format("interface {}", interfaces_.size() - 1);
  read_options(block, interface, name);
  interface.number = log_.interface_named(name);
}

void PcapngDecoder::read_options(const Block& block, Interface& interface, std::string& name) {
  const std::byte* at = block.begin + 16;
  const std::byte* const end = block.begin + block.size - 4;
  while (end - at >= 4) {
    const auto code = read<std::uint16_t>(at);
    const auto length = read<std::uint16_t>(at + 2);
    at += 4;
    if (code == option_end) return;
    const std::ptrdiff_t padded = (length + 3) / 4 * 4;
    if (padded > end - at) {
      bad_block(fmt::format("an interface option claims {} bytes", length));
      return;
    }
    if (code == option_name && length >= 1) name.assign(reinterpret_cast<const char*>(at), length);
    if (code == option_tsresol && length >= 1)
      interface.scale.set_resolution(static_cast<std::uint8_t>(*at));
    if (code == option_tsoffset && length >= 8)
      interface.scale.set_offset(static_cast<std::int64_t>(read<std::uint64_t>(at)));
    at += padded;
  }
}

/// An Enhanced Packet, or the obsolete Packet Block, which differs in the width of one field.
bool PcapngDecoder::read_packet(const Block& block, Packet& packet) {
  ++packets_met_;
  const Interface* interface = readable_interface(block.type == enhanced_packet_block
                                                      ? read<std::uint32_t>(block.begin + 8)
                                                      : read<std::uint16_t>(block.begin + 8));
  if (interface == nullptr) return false;
  const auto captured = read<std::uint32_t>(block.begin + 20);
  if (captured > max_captured || captured > block.size - least_size(block.type)) {
    bad_block(fmt::format("packet {} claims {} captured bytes in a block of {}", packets_met_,
                          captured, block.size));
    return false;
  }
  const auto ticks = static_cast<std::uint64_t>(read<std::uint32_t>(block.begin + 12)) << 32 |
                     read<std::uint32_t>(block.begin + 16);
  const auto [time, clamped] = interface->scale.to_time(ticks);
  log_.counters.clamped_times += clamped;
  // Negative times are large here.
  constexpr std::uint64_t year_2106 = (std::uint64_t{1} << 32) * 1'000'000'000;
  log_.counters.unlikely_times += static_cast<std::uint64_t>(to_ns(time)) >= year_2106;
  packet = {time,
            block.begin + 28,
            captured,
            std::max(captured, read<std::uint32_t>(block.begin + 24)),
            interface->link,
            interface->number};
  tally_.add(packet);
  return true;
}

/// A Simple Packet has no timestamp: it only is no earlier than the packet before it.  It belongs
/// to the section's first interface (section 4.4).
bool PcapngDecoder::read_simple_packet(const Block& block, Packet& packet) {
  ++packets_met_;
  const Interface* interface = readable_interface(0);
  if (interface == nullptr) return false;
  const auto length = read<std::uint32_t>(block.begin + 8);
  std::uint32_t captured = std::min(length, block.size - least_size(block.type));
  if (interface->snap_length != 0) captured = std::min(captured, interface->snap_length);
  if (captured > max_captured) {
    bad_block(fmt::format("packet {} claims {} captured bytes", packets_met_, captured));
    return false;
  }
  if (!warned_of_time_)
    log_.warn("Simple Packet Blocks have no time; they are given that of the packet before");
  warned_of_time_ = true;
  const Timestamp time = tally_.last == Timestamp::min() ? timestamp_from_ns(0) : tally_.last;
  packet = {time, block.begin + 12, captured, length, interface->link, interface->number};
  tally_.add(packet);
  return true;
}

const PcapngDecoder::Interface* PcapngDecoder::readable_interface(std::uint32_t index) {
  if (index >= interfaces_.size()) {
    bad_block(
        fmt::format("packet {} is of interface {}, which is not described", packets_met_, index));
    return nullptr;
  }
  const Interface& interface = interfaces_[index];
  if (interface.supported) return &interface;
  ++log_.counters.unknown_link;
  if (!warned_of_link_)
    log_.warn(fmt::format("packet {} and others are skipped: {}", packets_met_,
                          unsupported_link_type(interface.link_number)));
  warned_of_link_ = true;
  return nullptr;
}

void PcapngDecoder::bad_block(const std::string& what) {
  // One line is enough for a recoverable problem; the counter says how often.
  if (log_.counters.bad_blocks++ == 0) log_.warn(what);
}

PcapngDecoder::Found PcapngDecoder::damage(const std::string& what) {
  ++log_.counters.bad_blocks;
  log_.warn(fmt::format("{} after packet {}; reading stops there", what, packets_met_));
  return Found::damage;
}

void PcapngDecoder::cut() {
  log_.counters.cut_files = 1;
  log_.warn(fmt::format("cut in the middle of a block after packet {}", packets_met_));
}

}  // namespace sojourn
