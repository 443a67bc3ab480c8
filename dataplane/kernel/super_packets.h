/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Segments larger than a packet on the wire.  The stack passes them on to be divided by the device,
 * or later by the stack itself, and joins incoming ones.  An acknowledgment answers the oldest one
 * that no earlier acknowledgment has reached into (reasons in roundtrip/rules/super_packets.h).
 *
 * Loops use arithmetic instead of branches: otherwise the verifier would follow every path through
 * every iteration.
 */
#include "dataplane/kernel/connections.h"

#define DP_LONGEST_PACKET 1500
#define DP_LONGEST_JUMBO 9216

DP_INLINE __u64 dp_super_flow(__u64 flow, __u32 side)
{
	return (flow ^ (side + 1) * 0x9e3779b97f4a7c15ull) | 1;
}

DP_INLINE struct dp_super_bucket *dp_super_bucket_of(__u64 flow)
{
	const __u32 buckets = machine_config()->super_buckets;

	return buckets ? machine_super_bucket((__u32)((flow >> 32) * buckets >> 32)) : 0;
}

DP_INLINE struct dp_super_packets *dp_super_find(__u64 flow)
{
	struct dp_super_bucket *bucket = dp_super_bucket_of(flow);

	if (!bucket)
		return 0;
	if (bucket->way[0].flow == flow)
		return &bucket->way[0];
	if (bucket->way[1].flow == flow)
		return &bucket->way[1];
	if (bucket->way[2].flow == flow)
		return &bucket->way[2];
	return bucket->way[3].flow == flow ? &bucket->way[3] : 0;
}

/* Made now if there is none, in the place of the one that was silent longest. */
DP_INLINE struct dp_super_packets *dp_super_at(__u64 flow)
{
	const __u32 now = *(volatile __u32 *)&machine_control()->tick;
	struct dp_super_packets *found = dp_super_find(flow);
	struct dp_super_bucket *bucket;
	__u32 i, most = 0;

	if (!found) {
		bucket = dp_super_bucket_of(flow);
		if (!bucket)
			return 0;
		found = &bucket->way[0];
		for (i = 0; i < DP_WAYS; i++) {
			struct dp_super_packets *way = &bucket->way[i];
			const __u32 rank = way->flow ? (now - way->tick) >> 1 : ~0u;

			if (rank > most) {
				most = rank;
				found = way;
			}
		}
		found->begin = found->end = found->answered = found->is_split = 0;
		found->repeated = 0;
		found->flow = flow;
	}
	found->tick = now;
	return found;
}

enum dp_reached_flag {
	DP_REACHED_ANY = 1,      /* `end` is of the one that is answered */
	DP_REACHED_REPEATED = 2, /* some of its bytes were sent again meanwhile */
	DP_REACHED_THEIRS = 4,   /* the number ends with or within a super-packet */
};
struct dp_reached {
	__u32 end, flags;
};

/* Conditions as one bit, without a branch. */
DP_INLINE __u32 dp_is_not_zero(__u32 value)
{
	return (value | (0u - value)) >> 31;
}
DP_INLINE __u32 dp_newer_bit(__u32 a, __u32 b)
{
	const __u32 ahead = a - b;

	return (~ahead & (ahead | (0u - ahead))) >> 31;
}
DP_INLINE __u32 dp_choose(__u32 first, __u32 a, __u32 b)
{
	__u32 mask = 0u - first;

	DP_OPAQUE(mask);
	return (a & mask) | (b & ~mask);
}

/* What this acknowledgment answers.  Those that it covers are forgotten. */
DP_FUNCTION int dp_super_acknowledge(struct dp_super_packets *sent, __u32 number,
				     struct dp_reached *reached)
{
	__u32 begin, count, first_is_answered, end = 0, found = 0, repeated = 0, theirs = 0;
	__u32 is_split, i;
	__u64 repeats;

	if (!sent || !reached)
		return 0;
	begin = sent->begin;
	count = sent->end - begin;
	repeats = sent->repeated;
	is_split = sent->is_split & 1;
	first_is_answered = 1 ^ dp_is_not_zero(sent->answered ^ (begin + 1));
	for (i = 0; i < DP_MOST_SUPER_PACKETS && i < count; i++) {
		const __u32 place = (begin + i) & (DP_SUPER_RING - 1);
		const struct dp_range *range = &sent->ranges[place];
		__u32 is_divided, takes;

		if (dp_is_newer(range->end, number))
			break;
		theirs = 1 ^ dp_is_not_zero(range->end ^ number);
		is_divided = is_split | dp_newer_bit(range->end - range->start, DP_LONGEST_JUMBO);
		takes = (1 ^ found) & (1 ^ first_is_answered) & (theirs | is_divided);
		end = dp_choose(takes, range->end, end);
		repeated |= takes & (__u32)(repeats >> place);
		found |= takes;
		first_is_answered = 0;
	}
	sent->begin = begin + i;
	if (i < count) {
		const __u32 place = (begin + i) & (DP_SUPER_RING - 1);
		const struct dp_range *range = &sent->ranges[place];

		if (dp_is_newer(number, range->start)) {
			sent->is_split = theirs = 1;
			if (!(found | first_is_answered)) {
				end = range->end;
				repeated = (__u32)(repeats >> place) & 1;
				found = 1;
			}
			sent->answered = begin + i + 1;
		}
	}
	reached->end = end;
	reached->flags = found * DP_REACHED_ANY | repeated * DP_REACHED_REPEATED |
			 theirs * DP_REACHED_THEIRS;
	return 0;
}

/* These bytes were sent again.  Has any of the super-packets some of them? */
DP_FUNCTION int dp_super_repeat(struct dp_super_packets *sent, __u32 start, __u32 end)
{
	__u32 begin, count, i, any = 0;
	__u64 repeats = 0;

	if (!sent)
		return 0;
	begin = sent->begin;
	count = sent->end - begin;
	/* They are in order: what lies behind the last repeats none. */
	if (!count ||
	    !dp_is_newer(sent->ranges[(begin + count - 1) & (DP_SUPER_RING - 1)].end, start))
		return 0;
	for (i = 0; i < DP_MOST_SUPER_PACKETS && i < count; i++) {
		const __u32 place = (begin + i) & (DP_SUPER_RING - 1);
		const struct dp_range *range = &sent->ranges[place];
		const __u32 hit = dp_newer_bit(end, range->start) & dp_newer_bit(range->end, start);

		repeats |= (__u64)hit << place;
		any |= hit;
	}
	if (any)
		sent->repeated |= repeats;
	return (int)any;
}

/* False if there are too many to remember. */
DP_INLINE int dp_super_add(struct dp_super_packets *sent, __u32 start, __u32 end)
{
	const __u32 last = sent->end, place = last & (DP_SUPER_RING - 1);

	if (last - sent->begin >= DP_MOST_SUPER_PACKETS)
		return 0;
	sent->ranges[place].start = start;
	sent->ranges[place].end = end;
	sent->repeated &= ~(1ull << place);
	sent->end = last + 1;
	return 1;
}
