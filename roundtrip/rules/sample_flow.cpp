#include "roundtrip/rules/sample_flow.h"

#include <array>

namespace sojourn {
namespace {

std::uint64_t hash_of(const IpAddress& address, std::uint16_t port) {
  constexpr HashKey key = HashKey::from_seed(0x666c6f7773);
  std::array<std::uint64_t, 2> words{};
  std::memcpy(words.data(), address.bytes().data(), address.bytes().size());
  return keyed_hash(key, keyed_hash(key, words[0], words[1]), port);
}

}  // namespace

std::uint64_t flow_of_hosts(Kind kind, const Summary& packet) {
  const bool ports = !is_by_hosts(kind);
  return hash_of(packet.source(), ports ? packet.source_port : 0) +
         hash_of(packet.destination(), ports ? packet.destination_port : 0);
}

std::uint64_t flow_of(const Sample& sample) {
  const bool ports = !is_by_hosts(sample.kind);
  return hash_of(sample.requester, ports ? sample.requester_port : 0) +
         hash_of(sample.responder, ports ? sample.responder_port : 0);
}

}  // namespace sojourn
