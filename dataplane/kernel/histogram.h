/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Adds delays up in the kernel, so the cost of reading does not grow with their number.  One fridge
 * only: its weights are a table by age (FRIDGE section 6.2).  The weight of a sample is divided by
 * p when it comes, so p may change at any time.
 */
#include "dataplane/kernel/hash.h"
#include "dataplane/kernel/log_bin.h"
#include "dataplane/kernel/summary.h"

/* A weight beyond this has a square beyond 64 bits: one sample for 2^27 pairs. */
#define DP_WEIGHT_LIMIT (1ull << 35)

/* In 1/DP_WEIGHT_ONE; 0 if the sample is too old to have one. */
DP_INLINE __u64 dp_weight_of(__u64 ages, __u32 enter_below)
{
	const struct dp_factors *factors = machine_factors();
	const __u32 place = dp_factor_place((__u32)(ages & DP_AGE_MASK)) & (DP_FACTORS - 1);
	__u64 weight;

	if (!factors)
		return 0;
	weight = factors->factor[place];
	if (enter_below) /* 0 is p = 1 */
		weight = ((weight << 32) + enter_below / 2) / enter_below;
	return weight < DP_WEIGHT_LIMIT ? weight : 0;
}

DP_INLINE __u64 dp_square_of(__u64 weight)
{
	return weight >> 32 ? (weight >> 8) * (weight >> 8) << 8 : weight * weight / DP_WEIGHT_ONE;
}

/* Whose samples are alike: those of a connection; of queries and echoes, which have none, those of
 * two hosts (roundtrip/rules/sample_flow.h). */
DP_INLINE __u64 dp_alike(const struct dp_summary *s)
{
	const __u64 source = s->source[0] + s->source[1] * 3;
	const __u64 destination = s->destination[0] + s->destination[1] * 3;

	if (s->content == DP_CONTENT_TCP)
		return dp_mix(s->flow);
	return dp_mix((source + destination) ^ dp_mix(source ^ destination));
}

DP_INLINE void dp_add_to_histogram(const struct dp_summary *s, __u32 kind, __u32 leg, __s64 delay,
				   __u64 weight)
{
	const volatile struct dp_config *config = machine_config();
	const __u32 number =
		config->histogram_of[kind & (DP_KINDS - 1)] + (leg == DP_SUM ? 2 : leg);
	const __u32 bins = config->bins;
	const __u64 alike = dp_alike(s);
	const __u32 group = alike & (DP_FLOW_GROUPS - 1);
	const __u64 mark = 1ull << (alike >> 58);
	__u32 place = dp_bin_of(delay);
	struct dp_marks *marks;
	struct dp_cell *cell;
	struct dp_bin *bin;

	if (place >= bins)
		place = bins - 1;
	bin = machine_bin(number * bins + place);
	cell = machine_cell((number * bins + place) / DP_BINS_A_CELL);
	marks = machine_marks(number);
	if (!bin || !cell || !marks)
		return;
	__sync_fetch_and_add(&bin->weight, weight);
	__sync_fetch_and_add(&bin->squares, dp_square_of(weight));
	__sync_fetch_and_add(&bin->samples, 1);
	__sync_fetch_and_add(&cell->weight[group], weight);
	if (!(*(volatile __u64 *)&marks->seen[group] & mark))
		__sync_fetch_and_or(&marks->seen[group], mark);
}

/* A response that found its request.  `what` is DP_WHAT, with the flags of dp_sample.  In
 * registers: four functions share 512 bytes of stack. */
DP_FUNCTION int dp_count(const struct dp_summary *s, __u64 ages, __s64 delay, __u32 enter_below,
			 __u32 what)
{
	struct dp_counters *counters = machine_counters();
	const __u32 kind = what & (DP_KINDS - 1), leg = what >> 8 & 0xff, flags = what >> 16;
	__u64 weight;

	if (!s || !counters)
		return 0;
	weight = dp_weight_of(ages, enter_below);
	if (!weight) {
		counters->too_old++;
		return 0;
	}
	if (flags & DP_AMBIGUOUS) {
		if (kind != DP_HANDSHAKE || leg == DP_SUM)
			counters->ambiguous[kind] += weight;
		if (!machine_config()->keep_ambiguous)
			return 0;
	}
	if (flags & DP_LEG_IS_GUESSED)
		counters->guessed[kind]++;
	dp_add_to_histogram(s, kind, leg, delay, weight);
	return 0;
}
