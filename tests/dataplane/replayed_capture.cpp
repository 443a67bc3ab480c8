#include "tests/dataplane/replayed_capture.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "capture/files/open.h"
#include "dataplane/dataplane_options.h"
#include "pipeline/copy_filter.h"
#include "tests/dataplane/random_capture.h"
#include "wire/parser.h"

namespace sojourn {
namespace {

/// The kernel's test run refuses a frame that announces an IP header and ends within it.
bool is_taken(const Packet& packet) {
  constexpr std::size_t ethernet = 14, ipv4 = 20, ipv6 = 40;
  if (packet.captured < ethernet) return false;
  const unsigned type =
      std::to_integer<unsigned>(packet.data[12]) << 8 | std::to_integer<unsigned>(packet.data[13]);
  if (type == 0x0800) return packet.captured >= ethernet + ipv4;
  if (type == 0x86dd) return packet.captured >= ethernet + ipv6;
  return true;
}

/// Appends to `capture`; where its packets begin goes to `offsets`.
Result<void> read(const std::string& path, Capture& capture, std::vector<std::size_t>& offsets) {
  auto source = open_capture(path);
  if (!source) return std::unexpected(source.error());
  std::array<Packet, 128> batch;
  for (bool end = false; !end;) {
    const auto filled = (*source)->next(batch);
    end = filled.end;
    for (const Packet& packet : std::span{batch}.first(filled.count)) {
      if (packet.link != LinkType::ethernet || !is_taken(packet)) {
        ++capture.left_out;
        continue;
      }
      offsets.push_back(capture.bytes.size());
      capture.packets.push_back(packet);
      capture.bytes.insert(capture.bytes.end(), packet.data, packet.data + packet.captured);
    }
  }
  return {};
}

}  // namespace

Capture read_captures(std::span<const std::string> paths) {
  Capture capture;
  std::vector<std::size_t> offsets;
  for (const std::string& path : paths)
    if (auto done = read(path, capture, offsets); !done)
      fmt::print(stderr, "not read: {}\n", done.error().message);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    capture.packets[i].data = capture.bytes.data() + offsets[i];
  // If a clock leaps back by years, the exact table forgets what still waits in the kernel's.
  if (paths.size() > 1) std::ranges::stable_sort(capture.packets, {}, &Packet::time);
  return capture;
}

std::size_t remove_copies(Capture& capture, std::uint64_t seed) {
  const HashKey key = HashKey::from_seed(seed);
  Parser parser{key, kernel_kinds()};
  CopyFilter filter{key};
  std::uint32_t index = 0;
  return std::erase_if(capture.packets, [&](const Packet& packet) {
    std::array<Summary, 1> summary{};
    return parser.summarize({&packet, 1}, summary, index++) == 1 && filter.remove(summary).empty();
  });
}

Capture random_capture(std::uint64_t number, std::size_t count) {
  Capture capture;
  std::vector<std::size_t> offsets;
  capture.packets = random_packets(number, count, capture.bytes, offsets);
  for (std::size_t i = 0; i < offsets.size(); ++i)
    capture.packets[i].data = capture.bytes.data() + offsets[i];
  return capture;
}

}  // namespace sojourn
