/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* What the tables say of a packet, and where it is counted: oneway/marking/marking_point.h. */
#include "dataplane/kernel/marking/flows.h"

/* What is remembered of a flow: the interval of its last packet, plus one, and the register. */
DP_INLINE __u64 mk_state(__u64 quarters, __u32 reg)
{
	return ((quarters >> 2) + 1) << 1 | reg;
}

DP_INLINE __u32 mk_register(__u64 state, __u64 quarters)
{
	/* A new interval sets the register: there is a pulse to come. */
	return state >> 1 == (quarters >> 2) + 1 ? state & 1 : config.awaiting[quarters >> 2 & 1];
}

DP_INLINE __u32 mk_initiating(__u32 reg, __u64 quarters)
{
	return config.initiating[(reg & 1) << 3 | (quarters & 7)];
}

/* MarkingInterval::latest_pulse().  A clock that is behind the quarter's turn is not. */
DP_INLINE int mk_is_too_late(const struct __sk_buff *skb, __u64 quarters)
{
	const __u64 start = mk_quarter_start(quarters >> 2 << 2, config.exponent);

	return config.latest_pulse && (__s64)(mk_now(skb) - start) > (__s64)config.latest_pulse;
}

/* Two CPUs may try at once: the pulse is the packet whose exchange succeeds.  A super-packet is
 * never a pulse, since all of its segments would carry the mark. */
DP_INLINE __u32 mk_maybe_pulse(const struct __sk_buff *skb, struct mk_slot *slot, __u64 quarters,
			       __u32 segments)
{
	const __u32 number = slot->flow;
	__u64 *state = bpf_map_lookup_elem(&registers, &number);
	const __u32 awaiting = config.awaiting[quarters >> 2 & 1] & 1;
	__u64 before;
	__u32 reg = awaiting, action;
	int tries;

	if (!state)
		return mk_initiating(0, quarters);
	for (tries = 0; tries < 2; tries++) {
		before = *(volatile __u64 *)state;
		reg = mk_register(before, quarters);
		action = mk_initiating(reg, quarters);
		if (!(action & MK_TIMESTAMP)) {
			if (reg != awaiting)
				slot->settled = (quarters >> 2) + 1;
			return action;
		}
		if (mk_is_too_late(skb, quarters)) {
			slot->settled = (quarters >> 2) + 1;
			break;
		}
		if (segments > 1) {
			struct mk_counters *others = mk_counters_here();

			if (others)
				others->super_pulses++;
			break;
		}
		if (__sync_val_compare_and_swap(
			    state, before, mk_state(quarters, !!(action & MK_REGISTER))) == before)
			return action;
	}
	return mk_initiating(reg ^ 1, quarters) & ~MK_TIMESTAMP;
}

/* The action for a packet at the marking point.  Nearly always it is the same whether the
 * interval's pulse has been sent or not, or this CPU knows that it has. */
DP_INLINE __u32 mk_initiate(const struct __sk_buff *skb, struct mk_slot *slot, __u64 quarters,
			    __u32 segments)
{
	const __u32 awaiting = config.awaiting[quarters >> 2 & 1];
	const __u32 without = mk_initiating(awaiting ^ 1, quarters);

	if (!config.has_pulses || slot->settled == (quarters >> 2) + 1 ||
	    !((without ^ mk_initiating(awaiting, quarters)) & (MK_MARK_BITS | MK_TIMESTAMP)))
		return without;
	return mk_maybe_pulse(skb, slot, quarters, segments);
}

DP_INLINE void mk_take_pulse(struct mk_slot *slot, __u64 now, __u32 segments)
{
	if ((__u32)slot->pulses >= 255)
		return;
	mk_add(&slot->pulses, segments);
	mk_add(&slot->pulse_sum, (now - config.base_ns) * segments);
}

/* `copy`: it came just before. */
DP_INLINE void mk_add_packets(struct mk_slot *slot, __u32 segments, int copy)
{
	mk_grow(&slot->packets, segments);
	if (copy)
		mk_add(&slot->pulses, (__u64)segments << MK_REPEATS_SHIFT);
}

DP_INLINE void mk_count_marked(const struct __sk_buff *skb, struct mk_slot *slot, __u32 action,
			       __u32 segments, int copy)
{
	mk_add_packets(slot, segments, copy);
	if (action & MK_TIMESTAMP)
		mk_take_pulse(slot, mk_now(skb), segments);
}

/* How far a packet is outside of its interval. */
DP_INLINE void mk_note_distance(struct mk_slot *slot, __u64 now, __u64 quarters)
{
	const int is_late = (quarters & 3) < 2;
	const __u64 edge = mk_quarter_start(((quarters >> 2) + !is_late) << 2, config.exponent);
	const __s64 distance = is_late ? now - edge : edge - now;
	const __u64 told = ((__u64)distance >> (config.shift & 31)) + 1;
	__u32 *most = is_late ? &slot->late : &slot->early;

	/* The clock was read after the quarter: it may have passed the edge meanwhile. */
	if (distance >= 0 && told > *most)
		*most = told < 0xffffffff ? told : 0xffffffff;
}

DP_INLINE void mk_note_colour(struct mk_slot *slot, __u32 is_contrary, __u32 segments)
{
	mk_grow(&slot->middle, segments);
	if (is_contrary)
		mk_add(&slot->contrary, segments);
}

/* A packet belongs to the nearest interval of its colour. */
DP_INLINE void mk_count_observed(const struct __sk_buff *skb, const struct mk_flow *flow,
				 __u64 quarters, __u32 mark, __u32 segments, int copy)
{
	const __u32 action = config.observing[(mark & 3) << 3 | (quarters & 7)];
	const __u32 colour = !!(action & MK_COLOUR);
	struct mk_slot *slot = flow->slot;
	const __u64 interval = quarters >> 2;
	int is_outside = 0;

	if (config.has_colour) {
		if ((quarters & 3) == 1)
			mk_note_colour(slot, (mark & 1) != (interval & 1), segments);
		if (colour != (interval & 1)) {
			is_outside = 1;
			slot = mk_slot_of(flow->place, interval + ((quarters & 3) < 2 ? -1 : 1));
			if (!slot)
				return;
		}
	}
	mk_add_packets(slot, segments, copy);
	if (action & MK_TIMESTAMP || is_outside) {
		const __u64 now = mk_now(skb);

		if (action & MK_TIMESTAMP)
			mk_take_pulse(slot, now, segments);
		if (is_outside)
			mk_note_distance(slot, now, quarters);
	}
}
