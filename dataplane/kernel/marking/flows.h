/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Whose packet it is: the second lookup of the paper's section 3.5
 * (oneway/marking/marking_flows.h). */
#include "dataplane/kernel/marking/flow_table.h"
#include "dataplane/kernel/marking/memory.h"
#include "dataplane/kernel/marking/packet.h"

#define MK_NO_FLOW 0xffffffffu

DP_INLINE void mk_masked(struct mk_key *key, const __u64 addresses[4], __u64 rest, __u32 shape)
{
	const volatile struct mk_bits *mask = &config.shape[shape].mask;

	key->bits.addresses[0] = addresses[0] & mask->addresses[0];
	key->bits.addresses[1] = addresses[1] & mask->addresses[1];
	key->bits.addresses[2] = addresses[2] & mask->addresses[2];
	key->bits.addresses[3] = addresses[3] & mask->addresses[3];
	key->bits.rest = rest & mask->rest;
	key->shape = shape;
}

DP_INLINE __u32 mk_look_up(__u64 tag)
{
	__u32 i, j;

	for (i = 0; i < MK_MOST_BUCKETS; i++) {
		const __u32 place = ((__u32)tag + i) & (config.buckets - 1);
		const struct mk_bucket *bucket = bpf_map_lookup_elem(&flows, &place);

		if (!bucket)
			return MK_NO_FLOW;
		for (j = 0; j < MK_BUCKET; j++) {
			if (bucket->entries[j].tag == tag)
				return bucket->entries[j].flow;
			if (!bucket->entries[j].tag)
				return MK_NO_FLOW;
		}
	}
	return MK_NO_FLOW;
}

DP_INLINE __u32 mk_flow_of(const struct mk_packet *packet, const struct mk_transport *transport,
			   __u32 flow_id)
{
	__u64 addresses[4], rest = 0;
	struct mk_key key;
	__u32 shape;

	if (config.all_traffic)
		return 0;
	mk_addresses(packet, addresses);
	if (!config.any_transport)
		rest = mk_rest(packet, transport) + MK_REST(mk_step(0) & (config.steps - 1), 0, 0) +
		       (config.uses_flow_id ? flow_id : 0);
	/* Most bits first: the first that matches is the one. */
	for (shape = 0; shape < MK_MOST_SHAPES && shape < config.shapes; shape++) {
		__u32 flow;

		if (config.shape[shape].is_ipv6 != packet->is_ipv6)
			continue;
		mk_masked(&key, addresses, rest, shape);
		flow = mk_look_up(mk_tag(&key, packet->is_ipv6, config.secrets));
		if (flow != MK_NO_FLOW)
			return flow;
	}
	return MK_NO_FLOW;
}
