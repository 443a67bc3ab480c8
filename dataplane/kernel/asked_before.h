/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Which queries and echoes were asked before (roundtrip/rules/asked_before.h): they have no
 * connection to know it, and the table forgets. */
#include "dataplane/kernel/machine.h"

#define DP_SECOND_MASK 0xffffull
#define DP_ASKED_LIFETIME 120 /* seconds that a packet may live: RFC 9293 section 3.4.1 */

DP_INLINE __u64 dp_asked_tag(__u64 key)
{
	return (key & 0xffffffffffffull) | 1;
}

DP_INLINE struct dp_asked_line *dp_asked_line_of(__u64 key)
{
	const __u32 lines = machine_config()->asked_lines;

	return lines ? machine_asked_line((__u32)((key >> 32) * lines >> 32)) : 0;
}

/* Was the key asked before and not answered?  From now on it was. */
DP_FUNCTION int dp_asked_before(__u64 key)
{
	const __u64 now = *(volatile __u32 *)&machine_control()->seconds & DP_SECOND_MASK;
	const __u64 tag = dp_asked_tag(key);
	struct dp_asked_line *line = dp_asked_line_of(key);
	__u32 place = 0;
	__u64 most = 0;
	int i;

	if (!line)
		return 0;
	for (i = 0; i < DP_ASKED_WAYS; i++) {
		const __u64 entry = line->way[i];
		const __u64 age = (now - entry) & DP_SECOND_MASK;
		/* What is free goes first, then what is oldest. */
		const __u64 rank = (entry ? age : DP_SECOND_MASK + 1) + 1;

		if (entry >> 16 == tag) {
			line->way[i] = tag << 16 | now;
			return age <= DP_ASKED_LIFETIME;
		}
		if (rank > most) {
			most = rank;
			place = (__u32)i;
		}
	}
	line->way[place & (DP_ASKED_WAYS - 1)] = tag << 16 | now;
	return 0;
}

/* The next time that it is asked is a first time. */
DP_FUNCTION int dp_forget_asked(__u64 key)
{
	struct dp_asked_line *line = dp_asked_line_of(key);
	int i;

	if (!line)
		return 0;
	for (i = 0; i < DP_ASKED_WAYS; i++)
		if (line->way[i] >> 16 == dp_asked_tag(key))
			line->way[i] = 0;
	return 0;
}
