#pragma once
// Which packets make up a monitored flow.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/address.h"
#include "core/flow_key.h"
#include "core/result.h"

namespace sojourn {

/// Unset fields match anything; a filter with nothing set matches all traffic.
struct MarkingFilter {
  std::optional<Prefix> source = {};
  std::optional<Prefix> destination = {};
  std::optional<std::uint16_t> source_port = {};
  std::optional<std::uint16_t> destination_port = {};
  std::optional<std::uint8_t> protocol = {};
  std::optional<std::uint32_t> flow_id =
      {};  ///< FlowMonID of RFC 9343; only with the option as carrier

  /// "any", or some of source=PREFIX, destination=PREFIX, source-port=N, destination-port=N,
  /// protocol=tcp|udp|icmp|N, flow-id=N with commas between.
  static Result<MarkingFilter> parse(std::string_view text);
  /// The complete 5-tuple of a flow.
  static MarkingFilter of(const FlowKey& key);
  std::string text() const;
};

}  // namespace sojourn
