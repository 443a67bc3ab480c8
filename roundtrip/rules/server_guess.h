#pragma once
// Who is the server of a connection whose SYN we did not see?

#include <cstdint>

#include "wire/summary.h"

namespace sojourn {

/// How likely this is a server's port rather than one that a client was given: a known service
/// before other reserved ports (RFC 6335), those before registered ones, and last what systems give
/// to clients by default (32768 and up).
unsigned service_rank(std::uint16_t port);

/// A guess from the first packet that we see of a connection.  If its payload is a request or an
/// answer of a protocol that says so, that decides; else the port that is the better service; of
/// equals the lower.
bool source_is_server(const Summary& packet);

}  // namespace sojourn
