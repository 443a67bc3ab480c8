#pragma once
// TLS in the conversation of a connection.

#include "core/unclear.h"
#include "roundtrip/turns/turn_record.h"
#include "wire/summary.h"

namespace sojourn {

bool is_client_hello(const Summary& packet);

/// While a handshake is under way.
void mark_tls(TurnRecord& record, Unclear why);

}  // namespace sojourn
