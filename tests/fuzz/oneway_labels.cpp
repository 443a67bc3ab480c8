// Bytes as an IP packet that gets a label.  For any input no byte past the end is read; and fields
// that change on the path (TTL, DSCP and ECN, the header's checksum) do not change the label.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "oneway/label.h"
#include "wire/ip_packet.h"

using namespace sojourn;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Labels {
  std::uint32_t bob, ipsx;
  std::uint64_t identity;
  bool cut;
  friend bool operator==(const Labels&, const Labels&) = default;
};

std::optional<Labels> labels_of(const std::vector<std::byte>& bytes, std::uint32_t wire_length,
                                const LabelOptions& options) {
  IpLocator locator{1};
  const Packet packet{.time = {},
                      .data = bytes.data(),
                      .captured = static_cast<std::uint32_t>(bytes.size()),
                      .length = wire_length,
                      .link = LinkType::raw};
  IpPacket found;
  if (locator.locate({&packet, 1}, {&found, 1}) == 0) return std::nullopt;
  const InvariantBytes invariant{found, options};
  LabelOptions ipsx = options;
  ipsx.function = LabelFunction::ipsx;
  return Labels{label_of(found, options), label_of(found, ipsx),
                identity_of(found, invariant, HashKey::from_seed(1)), invariant.cut()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const LabelOptions options{.payload_offset = data[0], .payload_bytes = data[1]};
  const auto* const first = reinterpret_cast<const std::byte*>(data + 3);
  std::vector<std::byte> bytes(first, first + (size - 3));  // exactly sized: ASan sees its end
  const auto wire_length =
      static_cast<std::uint32_t>(bytes.size() + data[2]);  // the capture may have cut it
  const auto before = labels_of(bytes, wire_length, options);
  if (!before || (bytes[0] >> 4) != std::byte{4} || bytes.size() < 20) return 0;
  bytes[1] ^= std::byte{0xff};
  bytes[8] ^= std::byte{0x3f};
  bytes[10] ^= std::byte{0x55};
  bytes[11] ^= std::byte{0xaa};
  require(labels_of(bytes, wire_length, options) == before);
  return 0;
}
