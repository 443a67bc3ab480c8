/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* A packet that was parsed: what it asks and what it answers. */
#include "dataplane/kernel/asked_before.h"
#include "dataplane/kernel/tcp.h"

/* DNS, NTP and ICMP: one packet asks, one answers, the token tells which belong together. */
DP_INLINE void dp_exchange(const struct dp_summary *s)
{
	const __u32 sender = s->sender & 1;
	/* A host that asks itself: equal ends have no lower and higher one. */
	const __u32 requester = s->to_itself ? sender : 1 - sender;

	if (s->content == DP_CONTENT_REQUEST) {
		const __u64 key = dp_pair_key(s->flow, s->token, s->kind, sender, 0);
		__u32 copy;

		dp_fetch_slot(key);
		copy = dp_asked_before(key) ? DP_IS_COPY : 0;
		dp_ask(s, key, DP_WHAT(s->kind, 0, DP_REPEAT_IS_AMBIGUOUS | copy));
	} else {
		const __u64 key = dp_pair_key(s->flow, s->token, s->kind, requester, 0);

		dp_fetch_slot(key);
		dp_forget_asked(key);
		dp_answer(s, key, DP_WHAT(s->kind, DP_SERVER, 0));
	}
}

DP_INLINE int dp_is_truncated(int reason)
{
	return reason == DP_TRUNCATED_LINK || reason == DP_TRUNCATED_IP ||
	       reason == DP_TRUNCATED_TRANSPORT;
}

/*
 * For benchmarks: makes a fresh packet of one that is repeated, by stepping from flow to flow and,
 * when all had their turn, on in the sequence.  A constant 0 costs nothing: the kernel drops the
 * code.
 */
DP_INLINE void dp_step(struct dp_summary *s)
{
	const __u32 flows_log2 = machine_config()->steps & 31;
	const struct dp_counters *counters = machine_counters();
	__u64 turn;

	if (!flows_log2 || !counters)
		return;
	turn = machine_control()->hold ? machine_control()->hold : counters->packets >> flows_log2;
	s->flow = dp_mix(s->flow + (counters->packets & ((1ull << flows_log2) - 1)));
	s->sequence += (__u32)turn * 1448;
	s->acknowledgment += (__u32)turn * 1448;
	s->ts_value += (__u32)turn;
	s->ts_echo += (__u32)turn;
	s->token += turn;
}

/* What dp_parse() made of a packet; every packet ends in exactly one place. */
DP_INLINE void dp_look_at(const struct dp_summary *s, int reason, __u32 packets, __u64 bytes)
{
	struct dp_counters *counters = machine_counters();

	if (counters) {
		counters->packets += packets;
		counters->bytes += bytes;
		if (reason >= 0 && reason < DP_SKIPS)
			counters->skipped[reason]++;
	}
	if (reason != DP_FOUND)
		return;
	if (s->content == DP_CONTENT_TCP)
		dp_tcp_packet(s);
	else
		dp_exchange(s);
}
