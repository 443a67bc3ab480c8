/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/*
 * Flows by 64 keyed bits of what they are told by: a packet meets a stranger's as often as 64
 * random bits are equal.
 *
 * All flows are known before the first packet, so none has to be searched for: the lower half of a
 * tag tells a displacement, chosen by the process such that no two flows meet, and both together
 * the place.  There the whole tag is compared, in the line that is counted in.
 */
#include "dataplane/kernel/compilers.h"
#include "dataplane/kernel/marking/abi.h"

DP_INLINE __u64 mk_sum(const struct mk_bits *bits, __u32 is_ipv6, __u32 sum,
		       const volatile struct mk_shape *shape,
		       const volatile struct dp_pair_secrets *secrets)
{
	__u64 all = shape->start[sum];

	all += dp_pair_product(secrets, sum, 0, bits->addresses[0]);
	all += dp_pair_product(secrets, sum, 4, bits->rest);
	if (is_ipv6) {
		all += dp_pair_product(secrets, sum, 1, bits->addresses[1]);
		all += dp_pair_product(secrets, sum, 2, bits->addresses[2]);
		all += dp_pair_product(secrets, sum, 3, bits->addresses[3]);
	}
	return all;
}

/* Of masked bits; never 0, which is nobody's. */
DP_INLINE __u64 mk_tag(const struct mk_bits *bits, __u32 is_ipv6,
		       const volatile struct mk_shape *shape,
		       const volatile struct dp_pair_secrets *secrets)
{
	const __u64 tag = dp_pair_joined(mk_sum(bits, is_ipv6, 0, shape, secrets),
					 mk_sum(bits, is_ipv6, 1, shape, secrets));

	return tag ? tag : 1;
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
