/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Intervals of a power of two of a second, and their quarters: oneway/marking/marking_interval.h.
 */
#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/marking/abi.h"

#define MK_SECOND 1000000000ull
#define MK_UNIT_BITS 12 /* of a second: a quarter of the shortest interval, 2^-10 s */

DP_INLINE __u64 mk_quarters_at(__u64 ns, __u32 exponent)
{
	const __u64 seconds = ns / MK_SECOND, rest = ns % MK_SECOND;

	return ((seconds << MK_UNIT_BITS) + (rest << MK_UNIT_BITS) / MK_SECOND) >> (exponent & 31);
}

/* The first nanosecond of a quarter. */
DP_INLINE __u64 mk_quarter_start(__u64 quarters, __u32 exponent)
{
	const __u64 units = quarters << (exponent & 31);
	const __u64 fraction = units & ((1ull << MK_UNIT_BITS) - 1);

	return (units >> MK_UNIT_BITS) * MK_SECOND +
	       ((fraction * MK_SECOND + (1ull << MK_UNIT_BITS) - 1) >> MK_UNIT_BITS);
}
