/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Turns the quarter when it is time.  Reading the clock costs 40 ns: here, and not in each packet.
 */
#include "dataplane/kernel/marking/memory.h"

#define MK_CLOCK_MONOTONIC 1
/* A change of the clock is noticed within this time, even if quarters are longer. */
#define MK_LONGEST_SLEEP 20000000ull

static int mk_turn(void *map, int *key, struct mk_timer *value)
{
	const __u64 now = bpf_ktime_get_tai_ns() + clock.offset_ns;
	const __u64 quarters = mk_quarters_at(now, config.exponent);
	const __u64 next = mk_quarter_start(quarters + 1, config.exponent);
	__u64 sleep = next - now;

	if (quarters != clock.quarters) {
		/* More than one quarter on: late by all of them. */
		const __u64 due = mk_quarter_start(clock.quarters + 1, config.exponent);
		const __u64 late = now > due ? now - due : due - now;

		if (clock.is_set && late > clock.late_ns)
			clock.late_ns = late;
		clock.quarters = quarters;
		clock.is_set = 1;
	}
	clock.turns++;
	if (sleep > MK_LONGEST_SLEEP)
		sleep = MK_LONGEST_SLEEP;
	bpf_timer_start(&value->timer, sleep, 0);
	return 0;
}

/* Run once, before the first packet.  The timer ends with the process: its maps go then. */
SEC("tc")
int start_clock(struct __sk_buff *skb)
{
	const __u32 first = 0;
	struct mk_timer *value = bpf_map_lookup_elem(&timers, &first);

	if (!value || bpf_timer_init(&value->timer, &timers, MK_CLOCK_MONOTONIC) ||
	    bpf_timer_set_callback(&value->timer, mk_turn) || bpf_timer_start(&value->timer, 0, 0))
		return 1;
	return 0;
}
