/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Whose packet it is: the second lookup of the paper's section 3.5
 * (oneway/marking/marking_flows.h). */
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

DP_INLINE __u32 mk_flow_of(const struct mk_packet *packet)
{
	__u64 addresses[4], rest = 0;
	struct mk_key key;
	__u32 shape;

	if (config.all_traffic)
		return 0;
	mk_addresses(packet, addresses);
	if (!config.any_transport)
		rest = mk_transport(packet) + MK_REST(mk_step(0) & (config.steps - 1), 0, 0);
	/* Most bits first: the first that matches is the one. */
	for (shape = 0; shape < MK_MOST_SHAPES && shape < config.shapes; shape++) {
		const __u32 *flow;

		if (config.shape[shape].is_ipv6 != packet->is_ipv6)
			continue;
		mk_masked(&key, addresses, rest, shape);
		flow = bpf_map_lookup_elem(&flows, &key);
		if (flow)
			return *flow;
	}
	return MK_NO_FLOW;
}
