#include <algorithm>

#include "core/address.h"
#include "core/kind.h"
#include "library/inside.h"

namespace sojourn::v0 {

// The public enumerations are casts of the engine's.
static_assert(kind_count == sojourn::kind_count);
static_assert(static_cast<int>(Kind::tls) == static_cast<int>(sojourn::Kind::tls));
static_assert(static_cast<int>(Leg::headline) == static_cast<int>(sojourn::Leg::count_));

const char* version() { return SOJOURN_VERSION; }

std::string_view name_of(Kind kind) {
  if (static_cast<std::size_t>(kind) >= kind_count) return {};
  return sojourn::name_of(static_cast<sojourn::Kind>(kind));
}

std::string_view name_of(Leg leg) {
  if (leg > Leg::headline) return {};
  return leg == Leg::headline ? "headline" : sojourn::name_of(static_cast<sojourn::Leg>(leg));
}

Address address_of(const IpAddress& address) {
  Address result{};
  result.version = address.version() == IpVersion::v4 ? 4 : 6;
  std::ranges::copy(address.bytes(), result.bytes);
  return result;
}

std::vector<Count> counts_of(const std::vector<std::pair<std::string, std::uint64_t>>& named) {
  std::vector<Count> counts;
  for (const auto& [name, count] : named) counts.push_back({name, count});
  return counts;
}

std::string Address::text() const {
  const auto raw = std::as_bytes(std::span{bytes});
  return (version == 4 ? IpAddress::v4(raw.first<4>()) : IpAddress::v6(raw)).to_string();
}

Sample sample_of(const sojourn::Sample& sample) {
  Sample result{};
  result.time_ns = to_ns(sample.time);
  result.delay_ns = to_ns(sample.delay);
  result.weight = sample.weight;
  result.requester = address_of(sample.requester);
  result.responder = address_of(sample.responder);
  result.requester_port = sample.requester_port;
  result.responder_port = sample.responder_port;
  result.vlan = sample.vlan;
  result.kind = static_cast<Kind>(sample.kind);
  result.leg = static_cast<Leg>(sample.leg);
  return result;
}

}  // namespace sojourn::v0
