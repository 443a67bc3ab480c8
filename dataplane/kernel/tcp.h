/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Who asks and who answers in TCP: roundtrip/rules/tcp_rules.cpp, rule by rule. */
#include "dataplane/kernel/connections.h"
#include "dataplane/kernel/server_guess.h"
#include "dataplane/kernel/super_packets.h"
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

/* The leg that an answer of this sender covers, and the flags of its sample. */
DP_INLINE __u32 dp_leg_of_answer(__u32 ends, __u32 sender)
{
	return ((ends & DP_CLIENT_IS_HIGH) != 0) == sender ? DP_CLIENT : DP_SERVER;
}
DP_INLINE __u32 dp_flags_of_answer(__u32 ends, __u32 leg)
{
	return (leg == DP_CLIENT ? DP_REQUESTER_IS_SERVER : 0) |
	       (ends & DP_CLIENT_GUESSED ? DP_LEG_IS_GUESSED : 0);
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

/*
 * Whether a segment with this end passed before, or may have.  The very end of what was sent is
 * certainly sent again.  An earlier end may be late, or its first copy was lost before it reached
 * us; but if nothing new was sent for longer than we wait for an answer, it counts as a copy.
 */
DP_INLINE int dp_passed_before(const struct dp_tcp *t, __u32 end)
{
	const __u32 now = *(volatile __u32 *)&machine_control()->tick;
	const __u16 age = (__u16)(now - t->connection->advanced[t->sender]);

	if (!(*t->mine_known & DP_KNOWN_SEQUENCE))
		return 0;
	return end == t->mine->next_sequence || (!dp_is_newer(end, t->mine->next_sequence) &&
						 (__s16)age > (int)machine_config()->patience);
}

/* A SYN opens the connection anew unless it repeats the one that opened it: then it lies a little
 * behind what was sent since. */
DP_INLINE void dp_open_anew(struct dp_connection *connection, const struct dp_summary *s)
{
	const __u32 client = s->sender & 1;

	if ((connection->known[client] & DP_KNOWN_SEQUENCE) &&
	    connection->side[client].next_sequence - (s->sequence + 1) < 1u << 16)
		return;
	connection->known[0] = connection->known[1] = 0;
	connection->ends = 0;
	__builtin_memset(connection->side, 0, sizeof(connection->side));
}

/* A SYN-ACK begins the server's numbers.  What we remember of them, if they are no continuation, is
 * of another connection. */
DP_INLINE void dp_begin_numbers(struct dp_connection *connection, const struct dp_summary *s)
{
	const __u32 server = s->sender & 1, client = 1 - server, first = s->sequence + 1;

	if ((connection->known[server] & DP_KNOWN_SEQUENCE) &&
	    connection->side[server].next_sequence - first < DP_ACKNOWLEDGED_SPAN)
		return; /* a copy */
	connection->known[server] &= (__u8)~DP_KNOWN_SEQUENCE;
	/* Its acknowledgment may have been captured before it.  Any other number is none of it. */
	if (connection->side[client].acknowledged - first >= 1u << 16)
		connection->known[client] &= (__u8)~DP_KNOWN_ACKNOWLEDGED;
}

/* A SYN or SYN-ACK tells who is the client.  Returns whether it is a SYN that was seen before. */
DP_FUNCTION int dp_meet_ends(const struct dp_summary *s, struct dp_connection *connection)
{
	__u32 is_syn, client, ends;

	if (!s || !connection)
		return 0;
	is_syn = !(s->tcp_flags & DP_ACK);
	client = (is_syn ? s->sender : 1 - s->sender) & 1;
	if (is_syn)
		dp_open_anew(connection, s);
	else
		dp_begin_numbers(connection, s);
	ends = connection->ends;
	connection->ends = (__u8)((ends & ~(DP_CLIENT_IS_HIGH | DP_CLIENT_GUESSED)) |
				  (is_syn ? DP_SYN_SEEN : 0) | DP_CLIENT_KNOWN |
				  (client ? DP_CLIENT_IS_HIGH : 0));
	return is_syn && (ends & DP_SYN_SEEN);
}

/* Three spans, each with its own key: SYN to SYN-ACK, SYN-ACK to ACK, SYN to ACK. */
DP_FUNCTION int dp_handshake(const struct dp_summary *s, struct dp_connection *connection,
			     __u32 is_repeated)
{
	const __u32 copy = is_repeated ? DP_IS_COPY : 0;
	const __u32 half = DP_REPEAT_IS_AMBIGUOUS | DP_HALF_OF_SPAN | copy;
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
		       DP_WHAT(DP_HANDSHAKE, DP_SUM, DP_REPEAT_IS_AMBIGUOUS | copy));
		if (!s->payload)
			return 0;
		/* RFC 7413: the server may take the data, then all moves on. */
		end = s->sequence + dp_sequence_length(s);
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SERVER),
		       DP_WHAT(DP_HANDSHAKE, DP_SERVER, half));
		dp_ask(s, dp_pair_key(s->flow, end, DP_HANDSHAKE, sender, DP_SUM),
		       DP_WHAT(DP_HANDSHAKE, DP_SUM, half));
	} else if (syn_and_ack == (DP_SYN | DP_ACK)) {
		const __u32 is_second = (ends & DP_SYN_ACK_SEEN) &&
					(connection->known[sender] & DP_KNOWN_SEQUENCE) &&
					connection->side[sender].next_sequence == s->sequence + 1;

		if ((ends & DP_CLIENT_KNOWN) &&
		    (connection->known[(ends & DP_CLIENT_IS_HIGH) != 0] & DP_KNOWN_ACKNOWLEDGED))
			return 0; /* the handshake is over */
		dp_answer(s,
			  dp_pair_key(s->flow, s->acknowledgment, DP_HANDSHAKE, 1 - sender,
				      DP_SERVER),
			  DP_WHAT(DP_HANDSHAKE, DP_SERVER, 0));
		dp_ask(s, dp_pair_key(s->flow, s->sequence + 1, DP_HANDSHAKE, sender, DP_CLIENT),
		       DP_WHAT(DP_HANDSHAKE, DP_CLIENT, half | (is_second ? DP_IS_COPY : 0)));
		/* A second SYN-ACK: the whole span then holds a time-out, so asking for it again,
		 * in the client's name, marks it ambiguous. */
		if ((ends & DP_SYN_ACK_SEEN) && (ends & DP_SYN_SEEN))
			dp_ask(s,
			       dp_pair_key(s->flow, s->acknowledgment, DP_HANDSHAKE, 1 - sender,
					   DP_SUM),
			       DP_WHAT(DP_HANDSHAKE, DP_SUM, DP_REPEAT_IS_AMBIGUOUS | DP_IS_COPY));
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
	const __u32 ends = t->connection->ends, leg = dp_leg_of_answer(ends, t->sender);

	/* RFC 7323 section 3.2: TSecr is only valid with ACK set.  Of the peer's newest value we
	 * know whether it is waiting for an echo. */
	if ((s->tcp_flags & DP_ACK) &&
	    !((*t->mine_known & DP_KNOWN_TS_ECHO) && t->mine->ts_echo == s->ts_echo)) {
		const int in_vain = (t->their_known & DP_KNOWN_TS_VALUE) &&
				    t->theirs->ts_value == s->ts_echo &&
				    !(t->their_known & DP_KNOWN_TS_ASKED);

		if (!in_vain)
			dp_answer(s, dp_pair_key(s->flow, s->ts_echo, DP_TCP_TS, 1 - t->sender, 0),
				  DP_WHAT(DP_TCP_TS, leg, dp_flags_of_answer(ends, leg)));
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

enum dp_segment_flag {
	DP_ANSWERS = 1,
	DP_WAS_SENT = 2, /* what it acknowledges */
	DP_ASKS = 4,
	DP_ASKS_AGAIN = 8,
};

/* A packet of a connection that has super-packets: what it answers and what it asks. */
DP_FUNCTION int dp_super_packet(const struct dp_summary *s, struct dp_connection *connection,
				__u32 what)
{
	struct dp_counters *counters = machine_counters();
	struct dp_reached reached = {0, 0};
	struct dp_super_packets *theirs, *sent;
	__u32 sender, leg, flags, end, is_news;

	if (!s || !connection || !counters)
		return 0;
	sender = s->sender & 1;
	if (what & DP_ANSWERS) {
		leg = dp_leg_of_answer(connection->ends, sender);
		flags = dp_flags_of_answer(connection->ends, leg);
		theirs = what & DP_WAS_SENT ? dp_super_find(dp_super_flow(s->flow, 1 - sender)) : 0;
		if (theirs)
			dp_super_acknowledge(theirs, s->acknowledgment, &reached);
		if (reached.flags & DP_REACHED_ANY) {
			const __u64 key = dp_pair_key(s->flow, reached.end, DP_TCP, 1 - sender, 0);

			if (reached.flags & DP_REACHED_REPEATED)
				dp_ask(s, key,
				       DP_WHAT(DP_TCP, 0, DP_REPEAT_IS_AMBIGUOUS | DP_IS_COPY));
			dp_answer(s, key, DP_WHAT(DP_TCP, leg, flags));
		}
		if (!(reached.flags & DP_REACHED_THEIRS))
			dp_answer(s, dp_pair_key(s->flow, s->acknowledgment, DP_TCP, 1 - sender, 0),
				  DP_WHAT(DP_TCP, leg, flags));
	}
	if (!(what & DP_ASKS))
		return 0;

	end = s->sequence + dp_sequence_length(s);
	is_news = !(connection->known[sender] & DP_KNOWN_SEQUENCE) ||
		  dp_is_newer(end, connection->side[sender].next_sequence);
	sent = dp_super_find(dp_super_flow(s->flow, sender));
	if (sent && dp_super_repeat(sent, s->sequence, end) && !is_news)
		return 0;
	if (s->ip_length > DP_LONGEST_PACKET) {
		counters->super_packets++;
		sent = dp_super_at(dp_super_flow(s->flow, sender));
		if (sent) {
			connection->ends |= DP_HAS_SUPER_PACKETS;
			if (s->part) /* who divides it says so */
				sent->is_split = 1;
			if (is_news && !dp_super_add(sent, s->sequence, end) && sent->is_split) {
				counters->super_packets_left_out++;
				return 0;
			}
		}
	}
	dp_ask(s, dp_pair_key(s->flow, end, DP_TCP, sender, 0),
	       DP_WHAT(DP_TCP, 0,
		       DP_REPEAT_IS_AMBIGUOUS | (what & DP_ASKS_AGAIN ? DP_IS_COPY : 0)));
	return 0;
}

/* A segment and the acknowledgment of its end. */
DP_INLINE void dp_segment(const struct dp_tcp *t)
{
	const struct dp_summary *s = t->packet;
	const __u32 length = dp_sequence_length(s), end = s->sequence + length;
	const __u32 ends = t->connection->ends;
	const int wanted = dp_wants(DP_TCP);
	const int is_super = (ends & DP_HAS_SUPER_PACKETS) || s->ip_length > DP_LONGEST_PACKET;
	__u32 known = *t->mine_known;
	int answers, was_sent, carries, asks, moves_on, again = 0;

	/* An acknowledgment number is looked up when it is first seen. */
	answers = (s->tcp_flags & DP_ACK) &&
		  !((known & DP_KNOWN_ACKNOWLEDGED) && t->mine->acknowledged == s->acknowledgment);
	/* What was never sent cannot be acknowledged: such a number is another connection's. */
	was_sent = !(t->their_known & DP_KNOWN_SEQUENCE) ||
		   !dp_is_newer(s->acknowledgment, t->theirs->next_sequence);
	carries = length > 0 && !(s->tcp_flags & DP_RST) && !s->first_fragment && !dp_is_probe(t);
	asks = carries && s->ip_length >= machine_config()->full_size &&
	       !dp_was_acknowledged(t, end);
	moves_on = carries &&
		   (!(known & DP_KNOWN_SEQUENCE) || dp_is_newer(end, t->mine->next_sequence));
	if (asks && !moves_on)
		again = dp_passed_before(t, end);
	if (wanted && is_super) {
		dp_super_packet(s, t->connection,
				(answers ? DP_ANSWERS : 0) | (was_sent ? DP_WAS_SENT : 0) |
					(asks ? DP_ASKS : 0) | (again ? DP_ASKS_AGAIN : 0));
	} else if (wanted) {
		if (answers) {
			const __u32 leg = dp_leg_of_answer(ends, t->sender);

			dp_answer_here(
				s,
				dp_pair_key(s->flow, s->acknowledgment, DP_TCP, 1 - t->sender, 0),
				DP_TCP, leg, dp_flags_of_answer(ends, leg));
		}
		if (asks)
			dp_ask_here(s, dp_pair_key(s->flow, end, DP_TCP, t->sender, 0), DP_TCP,
				    DP_REPEAT_IS_AMBIGUOUS | (again ? DP_IS_COPY : 0));
	}
	if (answers && was_sent) {
		if (!(known & DP_KNOWN_ACKNOWLEDGED) ||
		    dp_is_newer(s->acknowledgment, t->mine->acknowledged))
			t->mine->acknowledged = s->acknowledgment;
		known |= DP_KNOWN_ACKNOWLEDGED;
	}
	if (moves_on) {
		t->mine->next_sequence = end;
		t->connection->advanced[t->sender] =
			(__u16) * (volatile __u32 *)&machine_control()->tick;
	}
	if (carries)
		known |= DP_KNOWN_SEQUENCE;
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
	__u32 is_repeated = 0;

	if (!connection)
		return;
	if (s->tcp_flags & DP_SYN)
		is_repeated = (__u32)dp_meet_ends(s, connection);
	if (!(connection->ends & (DP_CLIENT_KNOWN | DP_CLIENT_GUESSED)))
		connection->ends |= (__u8)dp_guess_client(s);
	if (dp_wants(DP_HANDSHAKE) &&
	    ((s->tcp_flags & DP_SYN) || !(connection->known[sender] & DP_KNOWN_ACKNOWLEDGED)))
		dp_handshake(s, connection, is_repeated);
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
