/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* A reference packet closes a gap and begins the next. */
#include "dataplane/kernel/reference/interpolation.h"

struct rp_reference {
	__u64 sent_ns, received_ns; /* by the clock of captures */
	__u32 sequence, sender;
	__s64 size_ns; /* what it takes longer on the link than one of the usual length (IPv6) */
};

/* Where gaps are kept; each program answers. */
DP_INLINE struct rp_gap *machine_gap(__u32 number);

/* (d_r - d_l) / (t_r - t_l) in 2^-32. */
DP_INLINE void rp_close_gap(struct rp_gap *gap, __u64 time_ns, __s64 left_ns)
{
	const __s64 length = (__s64)(time_ns - gap->time_ns), change = left_ns - gap->left_ns;
	__u64 steep;

	if (change >= RP_MOST_CHANGE || change <= -RP_MOST_CHANGE || length < RP_SHORTEST_GAP) {
		gap->is_closed = 2; /* by RLI-L */
		return;
	}
	steep = (rp_magnitude(change) << 32) / (__u64)length;
	gap->slope = change < 0 ? -(__s64)steep : (__s64)steep;
	gap->is_closed = 1;
}

/* Who sent it, and does its delay belong between its neighbours'?  A reference packet that was sent
 * before the last one was overtaken, or is a copy (RliReceiver::accept). */
DP_INLINE int rp_accepts(struct rp_shared *shared, struct rp_counters *counters,
			 const struct rp_reference *reference, __s64 left_ns, int begins_anew)
{
	const int is_known = shared->current && shared->sender == reference->sender;
	__u32 missing;

	if (shared->sender == RP_ANY_SENDER || (begins_anew && !shared->is_sender_fixed))
		shared->sender = reference->sender;
	if (shared->sender != reference->sender) {
		counters->references_of_others++;
		return 0;
	}
	if (!begins_anew && (__s64)reference->sent_ns <= (__s64)shared->last_sent) {
		counters->references_reordered++;
		return 0;
	}
	if (left_ns >= RP_MOST_LEFT || left_ns <= -RP_MOST_LEFT) {
		counters->references_off++;
		if (begins_anew) { /* a clock was set, or the first one was of a stranger */
			shared->wanted_base_ns = left_ns + shared->base_ns;
			shared->is_base_wanted = 1;
		}
		return 0;
	}
	if (is_known) {
		missing = reference->sequence - shared->last_sequence - 1;
		if (missing < 0x80000000u)
			counters->references_lost += missing;
	}
	shared->last_sent = reference->sent_ns;
	shared->last_sequence = reference->sequence;
	counters->references++;
	return 1;
}

/* One at a time: the caller holds rp_shared.is_busy. */
DP_INLINE void rp_reference_came(struct rp_shared *shared, struct rp_counters *counters,
				 const struct rp_reference *reference)
{
	const __s64 delay =
		(__s64)(reference->received_ns - reference->sent_ns - (__u64)reference->size_ns);
	const __u32 current = shared->current;
	struct rp_gap *gap = current ? machine_gap(current) : 0;
	const int begins_anew = !gap || rp_is_old((__s64)(reference->received_ns - gap->time_ns));
	__u32 next = current + 1;
	__s64 left;

	if (!current)
		shared->base_ns = delay;
	left = (__s64)((__u64)delay - (__u64)shared->base_ns);
	if (!rp_accepts(shared, counters, reference, left, begins_anew))
		return;
	if (gap && begins_anew)
		gap->is_closed = 2; /* by RLI-L: the two need not be of one sender */
	else if (gap)
		rp_close_gap(gap, reference->received_ns, left);
	if (!next)
		next = 1; /* 0 is none */
	gap = machine_gap(next);
	if (!gap)
		return;
	/* The exchanges keep the order for other CPUs: no number, the values, the number. */
	__sync_lock_test_and_set(&gap->number, 0);
	gap->time_ns = reference->received_ns;
	gap->left_ns = left;
	gap->slope = 0;
	gap->is_closed = 0;
	__sync_lock_test_and_set(&gap->number, next);
	__sync_lock_test_and_set(&shared->current, next);
}

/* Regular packets of a flow, between whatever reference packets have come so far. */
DP_INLINE void rp_packets_came(struct rp_flow *f, struct rp_counters *counters, __u32 current,
			       __u64 time_ns, __u32 count, __s64 z)
{
	const struct rp_gap *gap;

	if (!current) {
		counters->before_first += count;
		f->outside += count;
		return;
	}
	gap = machine_gap(current);
	if (!gap)
		return; /* cannot be: the ring has them all */
	if (f->gap != current) {
		if (f->waiting)
			rp_fold_by(f, machine_gap(f->gap));
		rp_begin_gap(f, gap);
	}
	if (rp_is_old((__s64)(time_ns - gap->time_ns))) {
		counters->after_last += count;
		f->outside += count;
		return;
	}
	rp_wait(f, gap->left_ns, (__s64)(time_ns - gap->time_ns), count, z);
}
