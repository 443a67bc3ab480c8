/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Whose packet it is: the second lookup of the paper's section 3.5
 * (oneway/marking/marking_flows.h). */
#include "dataplane/kernel/marking/flow_table.h"
#include "dataplane/kernel/marking/memory.h"
#include "dataplane/kernel/marking/packet.h"

struct mk_flow {
	__u32 place;
	struct mk_slot *slot; /* of the interval that it is now; NULL: no flow's packet */
};

DP_INLINE void mk_masked(struct mk_bits *bits, const __u64 addresses[4], __u64 rest,
			 const volatile struct mk_shape *shape)
{
	const volatile struct mk_bits *mask = &shape->mask;

	bits->addresses[0] = addresses[0] & mask->addresses[0];
	bits->addresses[1] = addresses[1] & mask->addresses[1];
	bits->addresses[2] = addresses[2] & mask->addresses[2];
	bits->addresses[3] = addresses[3] & mask->addresses[3];
	bits->rest = rest & mask->rest;
}

DP_INLINE __u32 mk_place(__u64 tag)
{
	const __u32 number = (__u32)tag & (config.displacements - 1);
	const __u32 word = number >> 2;
	const __u64 *four = bpf_map_lookup_elem(&displacements, &word);

	return four ? mk_place_of(tag, mk_displacement(*four, number), config.places) : 0;
}

DP_INLINE void mk_find_flow(const struct mk_packet *packet, const struct mk_transport *transport,
			    __u32 flow_id, __u64 interval, struct mk_flow *flow)
{
	const __u32 is_ipv6 = packet->is_ipv6 & 1;
	__u64 addresses[4], rest = 0;
	__u32 shape;

	flow->place = 0;
	if (config.all_traffic) {
		flow->slot = mk_slot_of(0, interval);
		return;
	}
	mk_addresses(packet, addresses);
	if (!config.any_transport)
		rest = mk_rest(packet, transport) + MK_REST(mk_step(0) & (config.steps - 1), 0, 0) +
		       (config.uses_flow_id ? flow_id : 0);
	/* Most bits first: the first that matches is the one. */
	for (shape = config.first_shape[is_ipv6];
	     shape < MK_MOST_SHAPES && shape < config.end_shape[is_ipv6]; shape++) {
		const volatile struct mk_shape *here = &config.shape[shape];
		struct mk_bits bits;
		__u64 tag;

		mk_masked(&bits, addresses, rest, here);
		tag = mk_tag(&bits, is_ipv6, here, &config.secrets);
		flow->place = mk_place(tag);
		flow->slot = mk_slot_of(flow->place, interval);
		if (flow->slot && flow->slot->tag == tag)
			return;
	}
	flow->slot = 0;
}
