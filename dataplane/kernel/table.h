/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Where requests wait: fridges (docs/design/dataplane.md).  The hash of a key determines its home
 * fridge and its shard there, which never change.  The coin, also from the hash, decides whether it
 * is admitted now.  An admitted request overwrites its slot.  Insertions are counted, not arrivals,
 * so a refused request needs neither a counter nor the clock.
 */
#include "dataplane/kernel/hash.h"
#include "dataplane/kernel/histogram.h"
#include "dataplane/kernel/summary.h"

enum dp_request_flag {
	DP_REPEAT_IS_AMBIGUOUS = 1, /* Karn's rule */
	DP_HALF_OF_SPAN = 2,        /* counted where the whole span is */
	/* Its first copy passed before, and may have expired.  A copy can make the first one
	 * ambiguous, but is not a request itself. */
	DP_IS_COPY = 4,
};

struct dp_place {
	__u32 fridge, shard;
	__u64 slot; /* in the shard's part of the fridge */
};

DP_INLINE struct dp_place dp_place_of(__u64 key, __u64 coins)
{
	const volatile struct dp_config *config = machine_config();
	const __u32 home = (__u32)(coins >> 32);
	struct dp_place place;

	place.fridge = 0;
	if (config->fridges > 1)
		place.fridge = (home >= config->home_end[0]) + (home >= config->home_end[1]);
	place.shard = (__u32)((key & 0xffffffff) * config->shards >> 32);
	place.slot = (key >> 32) * config->shard_slots >> 32;
	return place;
}

/* Has the key's slot fetched from memory, while something else is done before it is looked at. */
DP_INLINE void dp_fetch_slot(__u64 key)
{
	const __u64 coins = dp_coins(key);
	struct dp_place place;
	struct dp_slot *slot;

	if ((__u32)coins >= *(volatile __u64 *)&machine_control()->look_below)
		return;
	place = dp_place_of(key, coins);
	slot = machine_slot(place.fridge * machine_config()->shards + place.shard, place.slot);
	if (slot)
		(void)*(volatile __u64 *)&slot->check;
}

/* How far each fridge of the shard has got. */
DP_INLINE __u64 dp_ages_now(const struct dp_shard *shard)
{
	const __u32 shift = machine_config()->age_shift & 63;
	const volatile __u64 *inserted = shard->inserted;

	return (inserted[0] >> shift & DP_AGE_MASK) |
	       (inserted[1] >> shift & DP_AGE_MASK) << DP_AGE_BITS |
	       (inserted[2] >> shift & DP_AGE_MASK) << 2 * DP_AGE_BITS;
}

/* Each of the three modulo 2^21. */
DP_INLINE __u64 dp_ages_between(__u64 now, __u64 then)
{
	const __u64 low = DP_AGE_MASK, middle = DP_AGE_MASK << DP_AGE_BITS,
		    high = DP_AGE_MASK << 2 * DP_AGE_BITS;

	return (((now & low) - (then & low)) & low) |
	       (((now & middle) - (then & middle)) & middle) |
	       (((now & high) - (then & high)) & high);
}

DP_INLINE __u64 dp_check(__u64 key, const struct dp_slot *slot)
{
	return key ^ slot->time_ns ^ slot->ages ^ slot->enter_below;
}

/* Captures lie about time, so what is older is told by the sign (core/time.h). */
DP_INLINE int dp_is_over(__u64 then_ns, __u64 now_ns)
{
	return (__s64)(now_ns - then_ns) > (__s64)machine_config()->expire_ns;
}

/* A request of `kind` with this key. */
DP_INLINE void dp_ask_here(const struct dp_summary *s, __u64 key, __u32 kind, __u32 flags)
{
	struct dp_counters *counters = machine_counters();
	struct dp_control *control = machine_control();
	const __u64 coins = dp_coins(key), coin = (__u32)coins;
	const __u64 enter_below = *(volatile __u64 *)&control->enter_below;
	struct dp_place place;
	struct dp_shard *shard;
	struct dp_slot *slot;
	__u64 now = 0;

	if (!counters)
		return;
	kind &= DP_KINDS - 1;
	if (!(flags & DP_IS_COPY)) {
		counters->arrivals++;
		if (!(flags & DP_HALF_OF_SPAN))
			counters->asked[kind]++;
	}
	if (coin >= *(volatile __u64 *)&control->look_below) {
		counters->turned_away += !(flags & DP_IS_COPY);
		return;
	}
	place = dp_place_of(key, coins);
	slot = machine_slot(place.fridge * machine_config()->shards + place.shard, place.slot);
	if (!slot)
		return;
	if (slot->check == dp_check(key, slot)) {
		now = machine_now(s);
		if (!dp_is_over(slot->time_ns, now)) {
			if (flags & DP_REPEAT_IS_AMBIGUOUS)
				slot->repeated = 1;
			if (!(flags & (DP_HALF_OF_SPAN | DP_IS_COPY)))
				counters->repeated[kind]++;
			return;
		}
	}
	if (flags & DP_IS_COPY)
		return;
	if (coin >= enter_below) {
		counters->turned_away++;
		return;
	}
	shard = machine_shard(place.shard);
	if (!shard || place.fridge >= DP_MOST_FRIDGES)
		return;
	/* Counted before it is stamped: the request is no risk to itself. */
	__sync_fetch_and_add(&shard->inserted[place.fridge], 1);
	if (!now)
		now = machine_now(s);
	slot->time_ns = now;
	slot->ages = dp_ages_now(shard);
	slot->enter_below = (__u32)enter_below;
	slot->repeated = 0;
	slot->check = dp_check(key, slot);
}

/* The response to it: takes the request out and hands the delay over. */
DP_INLINE void dp_answer_here(const struct dp_summary *s, __u64 key, __u32 kind, __u32 leg,
			      __u32 flags)
{
	struct dp_counters *counters = machine_counters();
	const __u64 coins = dp_coins(key);
	struct dp_sample *sample;
	struct dp_place place;
	struct dp_shard *shard;
	struct dp_slot *slot, found;
	__u64 now;

	if ((__u32)coins >= *(volatile __u64 *)&machine_control()->look_below)
		return;
	place = dp_place_of(key, coins);
	slot = machine_slot(place.fridge * machine_config()->shards + place.shard, place.slot);
	if (!slot)
		return;
	found.check = slot->check;
	found.time_ns = slot->time_ns;
	found.ages = slot->ages;
	found.enter_below = slot->enter_below;
	found.repeated = slot->repeated;
	if (found.check != dp_check(key, &found))
		return;
	/* Two CPUs may hold copies of the same response; one of them gets it. */
	if (__sync_val_compare_and_swap(&slot->check, found.check, ~found.check) != found.check)
		return;
	now = machine_now(s);
	shard = machine_shard(place.shard);
	if (!shard || !counters || dp_is_over(found.time_ns, now))
		return;
	if (machine_config()->bins) {
		counters->samples++;
		dp_count(s, dp_ages_between(dp_ages_now(shard), found.ages),
			 (__s64)(now - found.time_ns), found.enter_below,
			 DP_WHAT(kind, leg, flags | (found.repeated ? DP_AMBIGUOUS : 0)));
		return;
	}
	sample = machine_reserve();
	if (!sample) {
		counters->unread++;
		return;
	}
	counters->samples++;
	sample->time_ns = now;
	sample->delay_ns = (__s64)(now - found.time_ns);
	sample->flow = s->flow;
	sample->ages = dp_ages_between(dp_ages_now(shard), found.ages);
	sample->enter_below = found.enter_below;
	sample->interface = s->interface;
	__builtin_memcpy(sample->source, s->source, 16);
	__builtin_memcpy(sample->destination, s->destination, 16);
	sample->source_port = s->source_port;
	sample->destination_port = s->destination_port;
	sample->vlan = s->vlan;
	sample->kind = (__u8)kind;
	sample->leg = (__u8)leg;
	sample->flags =
		(__u8)(flags | (found.repeated ? DP_AMBIGUOUS : 0) | (s->is_ipv6 ? DP_IPV6 : 0));
	sample->fridge = (__u8)place.fridge;
	__builtin_memset(sample->spare, 0, sizeof(sample->spare));
	machine_submit(sample);
}

/* The same out of line, for what is rare.  `what` is DP_WHAT. */
DP_FUNCTION int dp_ask(const struct dp_summary *s, __u64 key, __u32 what)
{
	if (!s)
		return 0;
	dp_ask_here(s, key, what & 0xff, what >> 16);
	return 0;
}
DP_FUNCTION int dp_answer(const struct dp_summary *s, __u64 key, __u32 what)
{
	if (!s)
		return 0;
	dp_answer_here(s, key, what & 0xff, what >> 8 & 0xff, what >> 16);
	return 0;
}
