/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Finds flows by a tag, a keyed hash of 64 bits.  Two different keys have equal tags with
 * probability 2^-64.
 *
 * All flows are known before the first packet, so there is no search.  The lower half of a tag
 * selects a displacement, which the process has chosen so that no two flows collide.  Tag and
 * displacement give the place.  There the whole tag is compared, in the cache line of the counters.
 */
#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/marking/abi.h"

/* Of masked bits. */
DP_INLINE __u64 mk_tag(const struct mk_bits *bits, __u32 is_ipv6,
		       const volatile struct mk_shape *shape,
		       const volatile struct dp_pair_secrets *secrets)
{
	struct dp_pair_sums sums = {shape->start[0], shape->start[1]};

	dp_pair_add(&sums, secrets, 0, bits->addresses[0]);
	dp_pair_add(&sums, secrets, 4, bits->rest);
	if (is_ipv6) {
		dp_pair_add(&sums, secrets, 1, bits->addresses[1]);
		dp_pair_add(&sums, secrets, 2, bits->addresses[2]);
		dp_pair_add(&sums, secrets, 3, bits->addresses[3]);
	}
	return dp_pair_joined(&sums);
}

/* Four displacements of 16 bits in a word. */
DP_INLINE __u32 mk_displacement(__u64 four, __u32 number)
{
	return four >> (number & 3) * 16 & 0xffff;
}

DP_INLINE __u32 mk_place_of(__u64 tag, __u32 displacement, __u32 places)
{
	const __u32 moved = (__u32)(tag >> 32) + displacement * ((__u32)tag >> 1 | 1);

	return (__u32)((__u64)moved * places >> 32);
}
