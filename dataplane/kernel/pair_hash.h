/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * 64 keyed bits of up to five words: two sums of products, (a + low half)(b + high half) of every
 * word with secrets of its own, the upper half of each sum.  This is pair-multiply-shift (Thorup,
 * "High speed hashing for integers and strings", section 3.3).  It is strongly universal: two
 * different keys agree with probability 2^-64 whoever chose them, as long as nobody knows the
 * secrets.  No product waits for another.
 */
#include "dataplane/kernel/compilers.h"
#include <linux/types.h>

#define DP_PAIR_WORDS 5
struct dp_pair_secrets {
	__u64 of[2][2 * DP_PAIR_WORDS];
};

/* What a word adds to the first or second sum. */
DP_INLINE __u64 dp_pair_product(const volatile struct dp_pair_secrets *secrets, __u32 sum,
				__u32 number, __u64 word)
{
	return (secrets->of[sum][2 * number] + (__u32)word) *
	       (secrets->of[sum][2 * number + 1] + (word >> 32));
}

DP_INLINE __u64 dp_pair_joined(__u64 first, __u64 second)
{
	return (first >> 32) << 32 | second >> 32;
}
