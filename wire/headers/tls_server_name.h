#pragma once
// The server name that a TLS client asks for.

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace sojourn {

/// The server name (RFC 6066 section 3) in a record of a ClientHello that begins with these bytes,
/// in lower case; nullopt if there is none, or the segment or the capture ends before it.
std::optional<std::string> find_server_name(std::span<const std::byte> captured);

}  // namespace sojourn
