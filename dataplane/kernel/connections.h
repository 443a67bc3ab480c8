/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * A fixed table of connections.  Four share a bucket.  A fifth replaces one in which only one end
 * has sent (so a flood of SYNs replaces itself), otherwise the one that was silent longest.  A
 * connection without a record loses the state of Karn's rule and of the legs, but not its requests,
 * which are in the table.
 */
#include "dataplane/kernel/summary.h"

DP_INLINE int dp_both_spoke(const struct dp_connection *connection)
{
	return connection->known[0] && connection->known[1];
}

DP_INLINE struct dp_connection *dp_make_room(struct dp_bucket *bucket, __u64 flow, __u32 now)
{
	struct dp_connection *chosen = &bucket->way[0];
	struct dp_counters *counters = machine_counters();
	__u32 most = 0;
	int i;

	for (i = 0; i < DP_WAYS; i++) {
		struct dp_connection *way = &bucket->way[i];
		const __u32 silence = now - way->tick;
		/* A free one before one-sided ones, those before the rest; then the oldest. */
		const __u32 rank =
			!way->flow ? ~0u
			: dp_both_spoke(way)
				? (silence > 0x3fffffff ? 0x3fffffff : silence)
				: 0x40000000 + (silence > 0x3fffffff ? 0x3fffffff : silence);

		if (rank >= most) {
			most = rank;
			chosen = way;
		}
	}
	if (chosen->flow && counters)
		counters->replaced++;
	__builtin_memset(chosen, 0, sizeof(*chosen));
	chosen->flow = flow;
	return chosen;
}

DP_INLINE struct dp_connection *dp_connection_of(__u64 flow)
{
	const __u32 now = *(volatile __u32 *)&machine_control()->tick;
	struct dp_bucket *bucket =
		machine_bucket((__u32)(flow >> 32) & (machine_config()->buckets - 1));
	struct dp_connection *found;

	if (!bucket)
		return 0;
	flow |= 1; /* 0 marks a free one */
	if (bucket->way[0].flow == flow)
		found = &bucket->way[0];
	else if (bucket->way[1].flow == flow)
		found = &bucket->way[1];
	else if (bucket->way[2].flow == flow)
		found = &bucket->way[2];
	else if (bucket->way[3].flow == flow)
		found = &bucket->way[3];
	else
		found = dp_make_room(bucket, flow, now);
	if (found->tick != now) /* a cache line that is not written stays with both CPUs */
		found->tick = now;
	return found;
}
