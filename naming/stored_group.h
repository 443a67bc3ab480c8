#pragma once
// Whose delays a stored cell holds: of a prefix, of a server's port, or of a flow.
//
// Reports and stores know groups as addresses with a length.  Ports and flows are written as
// addresses of 0100::/8, which is reserved and in no packet (RFC 4291): so they travel and are kept
// like any other group.  A flow of IPv6 does not fit; it is kept by its responder.

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

/// What is stored in a group: of a flow all that was written, of a port the port.
struct StoredGroup {
  enum class Kind : std::uint8_t { prefix, port, flow };
  Kind kind = Kind::prefix;
  std::optional<Prefix> responder;    ///< or the prefix itself; nullopt of a port
  std::optional<std::uint16_t> port;  ///< the server's; nullopt of a prefix

  explicit StoredGroup(const Prefix& group);
};

/// For people, and for parse_group: "192.0.2.0/24", "port 443", "192.0.2.1:5000 > 192.0.2.2:443".
std::string group_name(const Prefix& group);
Result<Prefix> parse_group(std::string_view name);

/// Does what is stored as `group` belong to `wanted`: a prefix within it, a flow of that port?
bool belongs_to(const Prefix& group, const Prefix& wanted);

}  // namespace sojourn
