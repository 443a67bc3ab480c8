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

struct dp_pair_sums {
	__u64 first, second;
};

/* What a word adds to both sums: one after the other, a word at a time, so that its halves stay in
 * registers. */
DP_INLINE void dp_pair_add(struct dp_pair_sums *sums,
			   const volatile struct dp_pair_secrets *secrets, __u32 number, __u64 word)
{
	const __u64 low = (__u32)word, high = word >> 32;

	sums->first += (secrets->of[0][2 * number] + low) * (secrets->of[0][2 * number + 1] + high);
	sums->second +=
		(secrets->of[1][2 * number] + low) * (secrets->of[1][2 * number + 1] + high);
}

/* Never 0, which means no flow. */
DP_INLINE __u64 dp_pair_joined(const struct dp_pair_sums *sums)
{
	const __u64 joined = (sums->first >> 32) << 32 | sums->second >> 32;

	return joined ? joined : 1;
}
