/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Who asks and who answers in TCP: roundtrip/rules/tcp_rules.cpp, rule by rule. */
#include "dataplane/kernel/connections.h"
#include "dataplane/kernel/table.h"
#include "dataplane/kernel/transport.h"

/* A window is at most 2^30 bytes (RFC 7323 section 2.2): what lies further back is another
 * connection's. */
#define DP_ACKNOWLEDGED_SPAN (1u << 30)

/* What both ends of a connection are called in what follows. */
struct dp_tcp {
	const struct dp_summary *packet;
	struct dp_connection *connection;
	struct dp_side *mine, *theirs;
	__u8 *mine_known;
	__u32 their_known; /* as it was when the packet came */
	__u32 sender;
};

DP_INLINE __u32 dp_sequence_length(const struct dp_summary *s)
{
	return s->payload + ((s->tcp_flags & DP_SYN) != 0) + ((s->tcp_flags & DP_FIN) != 0);
}

/* The answer comes from the server: its delay covers the server's leg.  Without a SYN the lower
 * port is taken for the server's. */
DP_INLINE __u32 dp_leg_of_answer(const struct dp_tcp *t)
{
	const __u32 ends = t->connection->ends;

	if (ends & DP_CLIENT_KNOWN)
		return ((ends & DP_CLIENT_IS_HIGH) != 0) == t->sender ? DP_CLIENT : DP_SERVER;
	return __builtin_bswap16(t->packet->source_port) >
			       __builtin_bswap16(t->packet->destination_port)
		       ? DP_CLIENT
		       : DP_SERVER;
}

/* The receiver has acknowledged this already: sent again, or a keep-alive. */
DP_INLINE int dp_was_acknowledged(const struct dp_tcp *t, __u32 end)
{
	return (t->their_known & DP_KNOWN_ACKNOWLEDGED) &&
	       t->theirs->acknowledged - end < DP_ACKNOWLEDGED_SPAN;
}

/* A zero-window probe risks a byte only to make the peer speak (RFC 9293 section 3.8.6.1). */
DP_INLINE int dp_is_probe(const struct dp_tcp *t)
{
	const struct dp_summary *s = t->packet;

	return s->payload <= 1 && !(s->tcp_flags & (DP_SYN | DP_FIN)) &&
	       (t->their_known & DP_KNOWN_WINDOW_ZERO) && (*t->mine_known & DP_KNOWN_SEQUENCE) &&
	       s->sequence == t->mine->next_sequence;
}

/* A SYN or SYN-ACK tells who is the client.  A SYN opens the connection anew unless it repeats the
 * one that opened it: then it lies a little behind what was sent since. */
DP_INLINE void dp_meet_ends(struct dp_connection *connection, const struct dp_summary *s)
{
	const int is_syn = !(s->tcp_flags & DP_ACK);
	const __u32 client = (is_syn ? s->sender : 1 - s->sender) & 1;
	const int repeated = (connection->known[client] & DP_KNOWN_SEQUENCE) &&
			     connection->side[client].next_sequence - (s->sequence + 1) < 1u << 16;

	if (is_syn && !repeated) {
		connection->known[0] = connection->known[1] = 0;
		connection->ends = 0;
		__builtin_memset(connection->side, 0, sizeof(connection->side));
	}
	connection->ends =
		(__u8)((connection->ends & ~DP_CLIENT_IS_HIGH) | (is_syn ? DP_SYN_SEEN : 0) |
		       DP_CLIENT_KNOWN | (client ? DP_CLIENT_IS_HIGH : 0));
}

/* Three spans, each with its own key: SYN to SYN-ACK, SYN-ACK to ACK, SYN to ACK. */
DP_FUNCTION int dp_handshake(const struct dp_summary *s, struct dp_connection *connection)
{
	const __u32 half = DP_REPEAT_IS_AMBIGUOUS | DP_HALF_OF_SPAN;
	__u32 sender, ends, syn_and_ack;

	if (!s || !connection)
		return 0;
	sender = s->sender & 1;
	ends = connection->ends;
	syn_and_ack = s->tcp_flags & (DP_SYN | DP_ACK);
	if (syn_and_ack == DP_SYN) {
		__u32 end = s->sequence + 1;

		if (ends & DP_SYN_ACK_SEEN)
			return 0; /* a late copy */
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SERVER),
		       DP_WHAT(DP_HANDSHAKE, DP_SERVER, half));
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SUM),
		       DP_WHAT(DP_HANDSHAKE, DP_SUM, DP_REPEAT_IS_AMBIGUOUS));
		if (!s->payload)
			return 0;
		/* RFC 7413: the server may take the data, then all moves on. */
		end = s->sequence + dp_sequence_length(s);
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SERVER),
		       DP_WHAT(DP_HANDSHAKE, DP_SERVER, half));
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SUM),
		       DP_WHAT(DP_HANDSHAKE, DP_SUM, half));
	} else if (syn_and_ack == (DP_SYN | DP_ACK)) {
		if ((ends & DP_CLIENT_KNOWN) &&
		    (connection->known[(ends & DP_CLIENT_IS_HIGH) != 0] & DP_KNOWN_ACKNOWLEDGED))
			return 0; /* the handshake is over */
		dp_answer(s,
			  dp_pair_key(s->flow, s->acknowledgment, DP_HANDSHAKE, 1 - sender,
				      DP_SERVER),
			  DP_WHAT(DP_HANDSHAKE, DP_SERVER, 0));
		dp_ask(s, dp_pair_key(s->flow, s->sequence + 1, DP_HANDSHAKE, sender, DP_CLIENT),
		       DP_WHAT(DP_HANDSHAKE, DP_CLIENT, half));
		/* A second SYN-ACK: the whole span then holds a time-out, so asking for it again,
		 * in the client's name, marks it ambiguous. */
		if ((ends & DP_SYN_ACK_SEEN) && (ends & DP_SYN_SEEN))
			dp_ask(s,
			       dp_pair_key(s->flow, s->acknowledgment, DP_HANDSHAKE, 1 - sender,
					   DP_SUM),
			       DP_WHAT(DP_HANDSHAKE, DP_SUM, DP_REPEAT_IS_AMBIGUOUS));
		connection->ends = (__u8)(ends | DP_SYN_ACK_SEEN);
	} else if (syn_and_ack == DP_ACK && !(s->tcp_flags & DP_RST) &&
		   !(connection->known[sender] & DP_KNOWN_ACKNOWLEDGED)) {
		/* The first acknowledgment of this end that we remember. */
		dp_answer(s,
			  dp_pair_key(s->flow, s->acknowledgment, DP_HANDSHAKE, 1 - sender,
				      DP_CLIENT),
			  DP_WHAT(DP_HANDSHAKE, DP_CLIENT, DP_REQUESTER_IS_SERVER));
		dp_answer(s, dp_pair_key(s->flow, s->sequence, DP_HANDSHAKE, sender, DP_SUM),
			  DP_WHAT(DP_HANDSHAKE, DP_SUM, DP_SENT_BY_REQUESTER));
	}
	return 0;
}

DP_INLINE void dp_timestamps(const struct dp_tcp *t)
{
	const struct dp_summary *s = t->packet;
	const __u32 leg = dp_leg_of_answer(t);

	/* RFC 7323 section 3.2: TSecr is only valid with ACK set.  Of the peer's newest value we
	 * know whether it is waiting for an echo. */
	if ((s->tcp_flags & DP_ACK) &&
	    !((*t->mine_known & DP_KNOWN_TS_ECHO) && t->mine->ts_echo == s->ts_echo)) {
		const int in_vain = (t->their_known & DP_KNOWN_TS_VALUE) &&
				    t->theirs->ts_value == s->ts_echo &&
				    !(t->their_known & DP_KNOWN_TS_ASKED);

		if (!in_vain)
			dp_answer(s, dp_pair_key(s->flow, s->ts_echo, DP_TCP_TS, 1 - t->sender, 0),
				  DP_WHAT(DP_TCP_TS, leg,
					  leg == DP_CLIENT ? DP_REQUESTER_IS_SERVER : 0));
		t->mine->ts_echo = s->ts_echo;
		*t->mine_known |= DP_KNOWN_TS_ECHO;
	}
	/* Pure ACKs ask nothing: their echo waits for the application (RFC 7323 section 4.3).  A
	 * value that they were first to carry is spent. */
	if (!(*t->mine_known & DP_KNOWN_TS_VALUE) || dp_is_newer(s->ts_value, t->mine->ts_value)) {
		const int asks = dp_sequence_length(s) > 0 && !(s->tcp_flags & DP_RST);

		if (asks)
			dp_ask(s, dp_pair_key(s->flow, s->ts_value, DP_TCP_TS, t->sender, 0),
			       DP_WHAT(DP_TCP_TS, 0, 0));
		*t->mine_known = (__u8)((*t->mine_known & ~DP_KNOWN_TS_ASKED) | DP_KNOWN_TS_VALUE |
					(asks ? DP_KNOWN_TS_ASKED : 0));
		t->mine->ts_value = s->ts_value;
	}
}

/*
 * At tc a segment may stand for many: the stack hands large ones to the device to divide, even
 * where the device leaves that to the stack, and joins those that come in.  On the wire each has an
 * end that may be acknowledged, so each asks.
 */
#define DP_MOST_PARTS 64
DP_FUNCTION int dp_ask_parts(const struct dp_summary *s, __u32 sender)
{
	__u32 part, length;
	int i;

	if (!s)
		return 0;
	length = 0;
	part = s->part;
	for (i = 0; i < DP_MOST_PARTS; i++) {
		length += part;
		if (length >= s->payload)
			return 0;
		dp_ask(s, dp_pair_key(s->flow, s->sequence + length, DP_TCP, sender & 1, 0),
		       DP_WHAT(DP_TCP, 0, DP_REPEAT_IS_AMBIGUOUS));
	}
	return 0;
}

/* A segment and the acknowledgment of its end. */
DP_INLINE void dp_segment(const struct dp_tcp *t)
{
	const struct dp_summary *s = t->packet;
	const int wanted = dp_wants(DP_TCP);
	const __u32 length = dp_sequence_length(s), end = s->sequence + length;
	__u32 known = *t->mine_known;

	/* An acknowledgment number is looked up when it is first seen. */
	if ((s->tcp_flags & DP_ACK) &&
	    !((known & DP_KNOWN_ACKNOWLEDGED) && t->mine->acknowledged == s->acknowledgment)) {
		if (wanted) {
			const __u32 leg = dp_leg_of_answer(t);

			dp_answer_here(
				s,
				dp_pair_key(s->flow, s->acknowledgment, DP_TCP, 1 - t->sender, 0),
				DP_TCP, leg, leg == DP_CLIENT ? DP_REQUESTER_IS_SERVER : 0);
		}
		/* What was never sent cannot be acknowledged: such a number is another
		 * connection's. */
		if (!(t->their_known & DP_KNOWN_SEQUENCE) ||
		    !dp_is_newer(s->acknowledgment, t->theirs->next_sequence)) {
			if (!(known & DP_KNOWN_ACKNOWLEDGED) ||
			    dp_is_newer(s->acknowledgment, t->mine->acknowledged))
				t->mine->acknowledged = s->acknowledgment;
			known |= DP_KNOWN_ACKNOWLEDGED;
		}
	}

	if (length > 0 && !(s->tcp_flags & DP_RST) && !s->first_fragment && !dp_is_probe(t)) {
		if (wanted && s->ip_length >= machine_config()->full_size &&
		    !dp_was_acknowledged(t, end)) {
			if (s->part)
				dp_ask_parts(s, t->sender);
			dp_ask_here(s, dp_pair_key(s->flow, end, DP_TCP, t->sender, 0), DP_TCP,
				    DP_REPEAT_IS_AMBIGUOUS);
		}
		if (!(known & DP_KNOWN_SEQUENCE) || dp_is_newer(end, t->mine->next_sequence))
			t->mine->next_sequence = end;
		known |= DP_KNOWN_SEQUENCE;
	}
	known &= ~(__u32)DP_KNOWN_WINDOW_ZERO;
	if (!s->window && !(s->tcp_flags & (DP_SYN | DP_FIN | DP_RST)))
		known |= DP_KNOWN_WINDOW_ZERO;
	if (known != *t->mine_known)
		*t->mine_known = (__u8)known;
}

DP_INLINE void dp_tcp_packet(const struct dp_summary *s)
{
	struct dp_connection *connection = dp_connection_of(s->flow);
	const __u32 sender = s->sender & 1;
	struct dp_tcp t;

	if (!connection)
		return;
	if (s->tcp_flags & DP_SYN)
		dp_meet_ends(connection, s);
	if (dp_wants(DP_HANDSHAKE) &&
	    ((s->tcp_flags & DP_SYN) || !(connection->known[sender] & DP_KNOWN_ACKNOWLEDGED)))
		dp_handshake(s, connection);
	t.packet = s;
	t.connection = connection;
	t.sender = sender;
	t.mine = &connection->side[sender];
	t.theirs = &connection->side[1 - sender];
	t.mine_known = &connection->known[sender];
	t.their_known = connection->known[1 - sender];
	if (s->has_timestamps && dp_wants(DP_TCP_TS))
		dp_timestamps(&t);
	dp_segment(&t); /* last: it moves next_sequence on */
}
