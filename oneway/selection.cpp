#include "oneway/selection.h"

#include <array>
#include <cstddef>
#include <span>

#include "oneway/bob_hash.h"

namespace sojourn {

std::uint32_t FlowSelection::hash(const FlowKey& key) const {
  std::array<std::byte, 16 + 16 + 2 + 2 + 1> bytes;
  std::size_t size = 0;
  const auto append = [&](std::uint32_t byte) { bytes[size++] = static_cast<std::byte>(byte); };
  for (const IpAddress* address : {&key.source, &key.destination})
    for (const std::uint8_t byte : address->bytes()) append(byte);
  for (const std::uint16_t port : {key.source_port, key.destination_port})
    append(port >> 8), append(port & 0xffu);
  append(key.protocol);
  return BobHash::of(std::span{bytes}.first(size), init_);
}

}  // namespace sojourn
