/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#pragma once
/* The number of packets into which the stack will later divide a super-packet. */
#include "dataplane/kernel/compilers.h"
#include <linux/types.h>

#define DP_HEAD 96 /* bytes of a frame, as far as the byte that says how long the TCP header is */

/* Those of link, IP and TCP or UDP.  Extension headers of IPv6 count for payload: at worst that is
 * one packet too many. */
DP_INLINE __u32 dp_header_bytes(const __u8 head[DP_HEAD])
{
	__u32 at = 12, tags, protocol, type = (__u32)head[12] << 8 | head[13];

	for (tags = 0; tags < 2 && (type == 0x8100 || type == 0x88a8); tags++) {
		at += 4;
		type = (__u32)head[at] << 8 | head[at + 1];
	}
	at += 2;
	if (type == 0x0800) {
		protocol = head[at + 9];
		at += (head[at] & 15u) * 4;
	} else if (type == 0x86dd) {
		protocol = head[at + 6];
		at += 40;
	} else {
		return at;
	}
	if (protocol == 6)
		return at + (head[at + 12] >> 4) * 4u;
	return protocol == 17 ? at + 8 : at;
}

/* As the kernel itself counts in qdisc_pkt_len_init(). */
DP_INLINE __u32 dp_parts(__u32 length, __u32 headers, __u32 part)
{
	return !part || length <= headers + part ? 1 : (length - headers + part - 1) / part;
}

#ifdef __bpf__
/* From a virtual machine (virtio) or a tap device they come with the size of their parts alone. */
DP_FUNCTION int dp_divided(struct __sk_buff *skb)
{
	__u8 head[DP_HEAD];

	if (bpf_skb_load_bytes(skb, 0, head, sizeof(head)))
		return 1;
	return (int)dp_parts(skb->len, dp_header_bytes(head), skb->gso_size);
}

DP_INLINE __u32 dp_segments(struct __sk_buff *skb)
{
	if (skb->gso_segs)
		return skb->gso_segs;
	return skb->gso_size ? (__u32)dp_divided(skb) : 1;
}
#endif
