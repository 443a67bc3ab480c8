#pragma once
// What the delays of a stored cell belong to: a prefix, a server's port, or a flow.
//
// Reports and stores identify groups by addresses with a length.  Ports and flows are encoded as
// addresses of 0100::/8, which is reserved and in no packet (RFC 4291), so they are sent and stored
// like any other group.  An IPv6 flow does not fit; it is stored under its responder.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/address.h"
#include "core/result.h"
#include "core/sample.h"

namespace sojourn {

/// 443
Prefix group_of_port(std::uint16_t port);
/// Requester and responder with their ports; nullopt if it does not fit.
std::optional<Prefix> group_of_flow(const Sample& sample);

/// What is stored in a group: all parts of a flow, or the port.
struct StoredGroup {
  enum class Kind : std::uint8_t { prefix, port, flow };
  Kind kind = Kind::prefix;
  std::optional<Prefix> responder;    ///< or the prefix itself; nullopt for a port
  std::optional<std::uint16_t> port;  ///< the server's; nullopt for a prefix

  explicit StoredGroup(const Prefix& group);
};

/// For people, and for parse_group: "192.0.2.0/24", "port 443", "192.0.2.1:5000 > 192.0.2.2:443".
std::string group_name(const Prefix& group);
Result<Prefix> parse_group(std::string_view name);

/// Whether data stored as `group` belongs to `wanted`: a prefix within it, or a flow of that port.
bool belongs_to(const Prefix& group, const Prefix& wanted);

}  // namespace sojourn
