/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* Whole numbers of 128 bits for both compilers: BPF has products of 64 bits only. */
#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/reference/reference_abi.h"

/* Two's complement. */
struct rp_wide {
	__u64 low, high;
};

DP_INLINE struct rp_wide rp_add(struct rp_wide a, struct rp_wide b)
{
	struct rp_wide sum;

	sum.low = a.low + b.low;
	sum.high = a.high + b.high + (sum.low < a.low);
	return sum;
}

DP_INLINE struct rp_wide rp_negative(struct rp_wide a)
{
	struct rp_wide negative;

	negative.low = ~a.low + 1;
	negative.high = ~a.high + (negative.low == 0);
	return negative;
}

/* By halves, as in school. */
DP_INLINE struct rp_wide rp_product(__u64 a, __u64 b)
{
	const __u64 half = 0xffffffff;
	const __u64 a_low = a & half, a_high = a >> 32, b_low = b & half, b_high = b >> 32;
	const __u64 lowest = a_low * b_low;
	const __u64 middle = a_high * b_low + (lowest >> 32); /* below 2^64: (2^32-1)^2 + 2^32 */
	const __u64 other = a_low * b_high + (middle & half);
	struct rp_wide product;

	product.low = (other << 32) | (lowest & half);
	product.high = a_high * b_high + (middle >> 32) + (other >> 32);
	return product;
}

DP_INLINE __u64 rp_magnitude(__s64 a)
{
	return a < 0 ? -(__u64)a : (__u64)a;
}

DP_INLINE struct rp_wide rp_signed_product(__s64 a, __s64 b)
{
	const struct rp_wide product = rp_product(rp_magnitude(a), rp_magnitude(b));

	return (a < 0) != (b < 0) ? rp_negative(product) : product;
}

DP_INLINE struct rp_wide rp_square(__s64 a)
{
	return rp_product(rp_magnitude(a), rp_magnitude(a));
}

/* For results below 2^127. */
DP_INLINE struct rp_wide rp_times(struct rp_wide a, __u64 b)
{
	struct rp_wide product = rp_product(a.low, b);

	product.high += a.high * b;
	return product;
}

/* a b / 2^32, rounded down; for results below 2^127. */
DP_INLINE struct rp_wide rp_times_q32(struct rp_wide a, __u64 b)
{
	const struct rp_wide low = rp_product(a.low, b), high = rp_product(a.high, b);
	struct rp_wide first, second;

	first.low = low.low >> 32 | low.high << 32;
	first.high = low.high >> 32;
	second.low = high.low << 32;
	second.high = high.low >> 32 | high.high << 32;
	return rp_add(first, second);
}

DP_INLINE struct rp_wide rp_widened(__s64 a)
{
	const struct rp_wide wide = {(__u64)a, a < 0 ? ~0ull : 0};

	return wide;
}
