#pragma once
// Guesses the server of a connection whose SYN was not captured.

#include <cstdint>

#include "wire/summary.h"

namespace sojourn {

/// How likely this is a server's port rather than a client's: known services first, then other
/// reserved ports (RFC 6335), then registered ones, and last the default range for clients (32768
/// and up).
unsigned service_rank(std::uint16_t port);

/// A guess from the first captured packet of a connection.  A payload that is recognisably a
/// request or a response decides; otherwise the port that is more likely a service; if equal, the
/// lower port.
bool source_is_server(const Summary& packet);

}  // namespace sojourn
