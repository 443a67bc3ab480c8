/* SPDX-License-Identifier: GPL-2.0 */
#pragma once
/* Marks read and written in place: wire/marking_carrier.h. */
#include "dataplane/kernel/marking/packet.h"

DP_INLINE __u32 mk_word(const struct mk_packet *packet, const volatile struct mk_place *place)
{
	return bpf_ntohl(*(const __be32 *)(packet->ip + (place->offset & 4)));
}

DP_INLINE __u32 mk_mark_in(__u32 word, const volatile struct mk_place *place)
{
	return (word & place->first ? 1 : 0) | (word & place->second ? 2 : 0);
}

DP_INLINE __u32 mk_with_mark(__u32 word, __u32 mark, const volatile struct mk_place *place)
{
	word &= ~(place->first | place->second);
	return word | (mark & 1 ? place->first : 0) | (mark & 2 ? place->second : 0);
}

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). */
DP_INLINE __u32 mk_checksum(__u32 checksum, __u32 before, __u32 after)
{
	__u32 sum = (~checksum & 0xffff) + (~before & 0xffff) + after;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* A device may have summed up all of the packet, and nothing in an IPv6 header makes good what
 * changes. */
DP_INLINE void mk_device_sum(struct __sk_buff *skb, __u32 before, __u32 after)
{
	__u64 sum = (__u64)bpf_htonl(after) + (__u32)~bpf_htonl(before);

	sum = (sum & 0xffffffff) + (sum >> 32);
	bpf_csum_update(skb, (__u32)sum);
}

DP_INLINE void mk_write(struct __sk_buff *skb, const struct mk_packet *packet, __u32 before,
			__u32 after, const volatile struct mk_place *place)
{
	__u8 *const ip = packet->ip;
	const __u32 changed = before ^ after, shift = changed >> 16 ? 16 : 0;

	if (!changed)
		return;
	*(__be32 *)(ip + (place->offset & 4)) = bpf_htonl(after);
	if (!packet->is_ipv6)
		*(__be16 *)(ip + 10) = bpf_htons((__u16)mk_checksum(
			mk_be16(ip + 10), before >> shift & 0xffff, after >> shift & 0xffff));
	else
		mk_device_sum(skb, before, after);
}
