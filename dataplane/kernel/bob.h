/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* BOB, RFC 5475 appendix A.2, as oneway/bob_hash.h has it, a block of three words at a time. */
#include "dataplane/kernel/compilers.h"
#include <linux/types.h>

struct dp_bob {
	__u32 a, b, c;
};

DP_INLINE void dp_bob_begin(struct dp_bob *h, __u32 init)
{
	h->a = h->b = 0x9e3779b9;
	h->c = init;
}

DP_INLINE void dp_bob_mix(struct dp_bob *h)
{
	__u32 a = h->a, b = h->b, c = h->c;

	a -= b, a -= c, a ^= c >> 13;
	b -= c, b -= a, b ^= a << 8;
	c -= a, c -= b, c ^= b >> 13;
	a -= b, a -= c, a ^= c >> 12;
	b -= c, b -= a, b ^= a << 16;
	c -= a, c -= b, c ^= b >> 5;
	a -= b, a -= c, a ^= c >> 3;
	b -= c, b -= a, b ^= a << 10;
	c -= a, c -= b, c ^= b >> 15;
	h->a = a, h->b = b, h->c = c;
}

DP_INLINE void dp_bob_block(struct dp_bob *h, __u32 first, __u32 second, __u32 third)
{
	h->a += first;
	h->b += second;
	h->c += third;
	dp_bob_mix(h);
}

/* The rest, filled up with zeros; the lowest byte of c is for the length of all. */
DP_INLINE __u32 dp_bob_end(struct dp_bob *h, __u32 first, __u32 second, __u32 third, __u32 length)
{
	dp_bob_block(h, first, second, (third << 8) + length);
	return h->c;
}
