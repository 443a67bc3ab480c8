#pragma once
// Conversions between the public values (namespace v0) and those of the engine.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/packet.h"
#include "core/result.h"
#include "core/sample.h"
#include "core/time.h"
#include "estimate/distribution/distribution.h"

// The library's own sources use both; there the public names are written v0::.
#ifndef SOJOURN_BUILDING_LIBRARY
#error "library/ is compiled with SOJOURN_BUILDING_LIBRARY"
#endif
#include <sojourn/distribution.h>
#include <sojourn/result.h>
#include <sojourn/types.h>

namespace sojourn::v0 {

/// Access to private members for the library's own sources.
struct Inside {
  /// A copy that later samples do not change.
  static Distribution wrap(const sojourn::Distribution& distribution) {
    const auto copy = std::make_shared<sojourn::Distribution>(Keep::every_sample);
    copy->merge(distribution);
    Distribution wrapped;
    wrapped.inside_ = copy;
    return wrapped;
  }
  static const sojourn::Distribution* open(const Distribution& wrapped) {
    return static_cast<const sojourn::Distribution*>(wrapped.inside_.get());
  }
};

inline Error error_of(const sojourn::Error& error) { return Error{error.message}; }

inline sojourn::Packet packet_of(const Packet& packet) {
  sojourn::Packet inner;
  inner.time = timestamp_from_ns(packet.time_ns);
  inner.data = static_cast<const std::byte*>(packet.data);
  inner.captured = packet.captured;
  inner.length = packet.length;
  inner.link = static_cast<LinkType>(packet.link_type);
  return inner;
}

Address address_of(const IpAddress& address);
std::vector<Count> counts_of(const std::vector<std::pair<std::string, std::uint64_t>>& named);
Sample sample_of(const sojourn::Sample& sample);

}  // namespace sojourn::v0
