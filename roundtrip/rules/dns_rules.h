#pragma once
// DNS over TCP: the messages inside the stream are the requests and responses.

#include "roundtrip/rules/event_writer.h"
#include "roundtrip/rules/tcp_connection.h"

namespace sojourn {

/// The most messages that this many captured bytes can hold: a length prefix and a header each.
constexpr std::size_t most_dns_messages(std::size_t captured) { return captured / 14 + 1; }

/// Follows the stream of one side and writes the messages that begin in this segment.
/// `patience` is that of passed_before().
void read_dns_stream(EventWriter& write, TcpConnection& connection, unsigned patience);

}  // namespace sojourn
