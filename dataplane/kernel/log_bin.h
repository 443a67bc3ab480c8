/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Which bin a number belongs to, where the width of bins grows with the number. */
#include "dataplane/kernel/abi.h"
#include "dataplane/kernel/compilers.h"

/* Of the highest bit that is set; 0 for 0.  BPF has no instruction for it. */
DP_INLINE __u32 dp_highest_bit(__u64 value)
{
	__u32 bit = 0;
	__u32 step;

	step = (__u32)(value >> 32 != 0) << 5;
	value >>= step;
	bit += step;
	step = (__u32)(value >> 16 != 0) << 4;
	value >>= step;
	bit += step;
	step = (__u32)(value >> 8 != 0) << 3;
	value >>= step;
	bit += step;
	step = (__u32)(value >> 4 != 0) << 2;
	value >>= step;
	bit += step;
	step = (__u32)(value >> 2 != 0) << 1;
	value >>= step;
	bit += step;
	return bit + (__u32)(value >> 1);
}

/* Below 2^(bits + 1) a bin for each number; else the exponent and the `bits` bits behind the
 * leading one name the bin. */
DP_INLINE __u32 dp_log_bin(__u64 value, __u32 bits)
{
	const __u32 shift = dp_highest_bit(value | 1ull << bits) - bits;

	return (shift << bits) + (__u32)(value >> (shift & 63));
}

/* LogBuckets::index_of.  A clock that was stepped back (in captures only) gives the least bin. */
DP_INLINE __u32 dp_bin_of(__s64 delay_ns)
{
	return dp_log_bin(delay_ns < 0 ? 0 : (__u64)delay_ns, DP_BIN_BITS);
}

/* Ages have 21 bits, so this is below (21 - 6 + 1) * 64. */
DP_INLINE __u32 dp_factor_place(__u32 age)
{
	return dp_log_bin(age, DP_FACTOR_BITS);
}
