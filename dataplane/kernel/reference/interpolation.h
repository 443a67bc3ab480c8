/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * RLI without a buffer.  Between two reference packets delay is linear in the time of arrival t, so
 * a flow need not keep its packets until the second one comes: their number, the sums of t and of
 * t^2 do.  When the gap's slope s is known,
 *
 *     d = left + s t + z                        z = (b - b_ref) / capacity
 *     sum d   = n left + s sum t + sum z
 *     sum d^2 = left (n left + 2 (s sum t + sum z)) + s^2 sum t^2 + 2 s sum t z + sum z^2
 *
 * which are the figures of oneway/rli/rli_receiver.h but for rounding: means and deviations differ
 * by less than 2 ns.  (Sums have 16 bits behind the point: with whole nanoseconds, the deviation of
 * packets that differ by nothing was off by hundreds.)
 *
 * How large things can be:
 *   t         below 2^31 ns, else the packet is settled at once by RLI-L
 *   waiting   below 2^16, else likewise; so sum t < 2^47, sum t^2 < 2^78 (two words)
 *   z         below 2^31 ns, and sum z below 2^32, else likewise; so |sum t z| < 2^63, and sum z^2
 * < 2^63.  (A link cannot carry more of z than there is time, unless its capacity is understated.)
 *   left      below 2^34 ns off the first reference packet's: others are refused
 *   slope     |d_r - d_l| < 2^30 ns over at least 1 us, in 2^-32: below 2^53; other gaps are
 *             settled by RLI-L.  Its rounding, 2^-32, is worth half a nanosecond at t = 2^31.
 *             s sum t < 2^46, in 2^-16 below 2^62; s^2 sum t^2 < 2^76, in 2^-32 below 2^108, and
 *             s sum t^2 < 2^77, in 2^-32 below 2^109.  A packet that another CPU saw may lie behind
 *             the gap's end, by the time that CPU took with it: that much is to spare.
 *   sum d     in 2^-16 below 2^50 a packet, its square in 2^-32 below 2^100: 2^27 packets of a flow
 *             that are all 17 s off the first reference
 */
#include "dataplane/kernel/reference/wide.h"

#define RP_LONGEST_GAP (1ll << 31)
#define RP_SHORTEST_GAP 1000
#define RP_MOST_WAITING ((1u << 16) - 1)
#define RP_MOST_SIZES (1ll << 32)
#define RP_MOST_LEFT (1ll << 34)
#define RP_MOST_CHANGE (1ll << 30)
#define RP_FRACTION_BITS 16 /* of delays */
/* After this many ns without a reference packet, the state of the sender and of its clock is
 * unknown.  The next reference packet of any sender starts again. */
#define RP_SILENCE 10000000000ull
/* Or before it: then the clock here was set back. */
DP_INLINE int rp_is_old(__s64 after_ns)
{
	return rp_magnitude(after_ns) >= RP_SILENCE;
}

DP_INLINE void rp_settle(struct rp_flow *f, __u32 packets, struct rp_wide sum,
			 struct rp_wide squares)
{
	const struct rp_wide delays = {f->delays_low, (__u64)(__s64)f->delays_high};
	const struct rp_wide delay_squares = {f->delay_squares_low, (__u64)f->delay_squares_high};

	sum = rp_add(delays, sum);
	squares = rp_add(delay_squares, squares);
	f->estimated += packets;
	if (f->estimated < packets)
		f->estimated_high++;
	f->delays_low = sum.low;
	f->delays_high = (__s32)sum.high;
	f->delay_squares_low = squares.low;
	f->delay_squares_high = (__s64)squares.high;
}

DP_INLINE __u64 rp_packets(const struct rp_flow *f)
{
	return ((__u64)f->estimated_high << 32) + f->estimated + f->waiting + f->outside;
}

/* slope times, in 2^-16, rounded to the nearest. */
DP_INLINE __s64 rp_along(__s64 slope, __u64 times)
{
	const struct rp_wide product = rp_product(rp_magnitude(slope), times);
	const __u64 result = (product.low >> 16 | product.high << 48) + (product.low >> 15 & 1);

	return slope < 0 ? -(__s64)result : (__s64)result;
}

/* What waits, with the slope of its gap. */
DP_INLINE void rp_fold(struct rp_flow *f, __s64 slope)
{
	const __u64 steep = rp_magnitude(slope);
	const __s64 left = f->left_ns * (1 << RP_FRACTION_BITS);
	__s64 along = rp_along(slope, f->times);
	struct rp_wide time_squares, size_squares, sum, squares, product;

	if (f->waiting == 1) { /* most flows send one at a time */
		rp_settle(f, 1, rp_widened(left + along), rp_square(left + along));
		f->waiting = 0;
		return;
	}
	time_squares.low = f->time_squares_low;
	time_squares.high = f->time_squares_high;
	size_squares.low = f->size_squares << 32;
	size_squares.high = f->size_squares >> 32;
	along += f->sizes * (1 << RP_FRACTION_BITS);
	sum = rp_add(rp_signed_product(left, f->waiting), rp_widened(along));
	squares = rp_times(rp_square(left), f->waiting);
	product = rp_signed_product(left, along);
	squares = rp_add(squares, rp_add(product, product));
	squares = rp_add(squares, rp_times_q32(rp_times(time_squares, steep), steep));
	product = rp_signed_product(slope, f->size_times);
	squares = rp_add(squares, rp_add(product, product));
	squares = rp_add(squares, size_squares);
	rp_settle(f, f->waiting, sum, squares);
	f->waiting = 0;
}

/* Settles the waiting packets by the slope of their gap, or by RLI-L if the slope is forgotten or
 * unknown.  False: the gap is still open. */
DP_INLINE int rp_fold_by(struct rp_flow *f, const struct rp_gap *gap)
{
	const int is_known = gap && gap->number == f->gap;
	__s64 slope = 0;

	if (!f->waiting)
		return 1;
	if (is_known && !gap->is_closed)
		return 0;
	if (is_known && gap->is_closed == 1)
		slope = gap->slope;
	else
		f->left_only += f->waiting;
	rp_fold(f, slope);
	return 1;
}

/* Computes the sums that are not stored while a packet waits alone in its gap. */
DP_INLINE void rp_spread(struct rp_flow *f, __s64 gap_left_ns)
{
	const __u64 time = f->waiting ? f->times : 0;
	const __s64 z = f->waiting ? f->left_ns - gap_left_ns : 0;

	f->left_ns = gap_left_ns;
	f->times = time;
	f->time_squares_low = time * time;
	f->time_squares_high = 0;
	f->sizes = z;
	f->size_times = (__s64)time * z;
	f->size_squares = (__u64)z * (__u64)z;
}

/* `count` packets at once, as segments that were joined; `z` is that of each. */
DP_INLINE void rp_wait(struct rp_flow *f, __s64 gap_left_ns, __s64 t, __u32 count, __s64 z)
{
	const __u64 time = t < 0 ? 0 : (__u64)t; /* another CPU was faster with the reference */
	struct rp_wide squares;

	if (!f->waiting && count == 1 && t < RP_LONGEST_GAP && z < RP_MOST_SIZES) {
		f->waiting = 1;
		f->times = time;
		f->left_ns = gap_left_ns + z;
		return;
	}
	if (f->waiting < 2)
		rp_spread(f, gap_left_ns);
	if (t >= RP_LONGEST_GAP || f->waiting + count > RP_MOST_WAITING ||
	    f->sizes + count * z >= RP_MOST_SIZES) {
		const __s64 delay = (gap_left_ns + z) * (1 << RP_FRACTION_BITS);

		f->left_only += count;
		rp_settle(f, count, rp_signed_product(delay, count),
			  rp_times(rp_square(delay), count));
		if (f->waiting == 1)
			f->left_ns += f->sizes; /* it waits alone again */
		return;
	}
	squares = rp_product(time * time, count);
	f->waiting = (__u16)(f->waiting + count);
	f->times += time * count;
	f->time_squares_low += squares.low;
	f->time_squares_high += squares.high + (f->time_squares_low < squares.low);
	if (z) {
		f->sizes += count * z;
		f->size_times += (__s64)(time * count) * z;
		f->size_squares += (__u64)z * (__u64)z * count;
	}
}

DP_INLINE void rp_begin_gap(struct rp_flow *f, const struct rp_gap *gap)
{
	if (f->waiting) {
		f->outside += f->waiting;
		f->waiting = 0;
	}
	f->gap = gap->number;
}

/* What a packet takes longer on the link than a reference packet does, in ns. */
DP_INLINE __s64 rp_size_ns(const volatile struct rp_config *config, __u32 bytes)
{
	__u32 line = bytes + config->overhead;
	__s64 more;

	if (!config->ns_a_byte)
		return 0;
	if (line < config->least_bytes)
		line = config->least_bytes;
	more = (__s64)line - (__s64)config->reference_line_bytes;
	more = more * (__s64)config->ns_a_byte + (1ll << (RP_BYTE_BITS - 1));
	return more >> RP_BYTE_BITS;
}

/*
 * Called by the process: flows start again in the other table.  All sums of a table have one base,
 * so a new base can only be used from now on; packets that came while it was awaited were not
 * estimated, since the last reference packet was too old.  Returns the base of the previous table.
 */
DP_INLINE __s64 rp_turn(struct rp_shared *shared)
{
	const __s64 base_ns = shared->base_ns;

	__sync_lock_test_and_set(&shared->table, 1 - shared->table);
	if (shared->is_base_wanted) {
		*(volatile __s64 *)&shared->base_ns = shared->wanted_base_ns;
		shared->is_base_wanted = 0;
	}
	return base_ns;
}
